import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { makeServerCertificate } from '../../../../sandbox/api/certificates.ts';

/** An admission webhook, with its configuration for the API server. */
export interface AdmissionWebhook extends AsyncDisposable {
  clientConfigOf(path: string): { url: string; caBundle: string };
}

/** A webhook's verdict on an object: admission, a refusal, or a JSON patch. */
export type Admission = { denial: string } | { patch: object[] };

const Review = z.object({ request: z.object({ uid: z.string() }) });

/**
 * Starts an admission webhook on this machine.
 *
 * @param host the address at which the API server reaches it
 * @param admissions its verdict at each path
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export async function startAdmissionWebhook(
  host: string,
  admissions: Readonly<Record<string, Admission>>,
): Promise<AdmissionWebhook> {
  const { keyPem, certificatePem } = await makeServerCertificate([host]);
  const review = async (request: IncomingMessage): Promise<object> => {
    const { uid } = Review.parse(JSON.parse(await text(request))).request;
    const path = new URL(request.url ?? '', `https://${host}`).pathname;
    const response = { uid, ...responseOf(admissions[path]) };
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  };
  const server = createServer({ key: keyPem, cert: certificatePem }, (request, response) => {
    void review(request).then((answer) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve);
  });
  const address = z.object({ port: z.int() }).parse(server.address());
  const caBundle = Buffer.from(certificatePem).toString('base64');
  return {
    clientConfigOf: (path) => ({ url: `https://${host}:${address.port}${path}`, caBundle }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function responseOf(admission: Admission | undefined): object {
  if (admission === undefined) return { allowed: true };
  if ('denial' in admission) return { allowed: false, status: { code: 403, message: admission.denial } };
  const patch = Buffer.from(JSON.stringify(admission.patch)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}
