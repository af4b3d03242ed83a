import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { listen } from '../../../../local/loopback-server.ts';
import { makeServerCertificate } from '../../../../sandbox/api/certificates.ts';

/** An admission webhook, with its configuration for the API server. */
export interface AdmissionWebhook extends AsyncDisposable {
  clientConfigOf(path: string): { url: string; caBundle: string };
}

/** A webhook's verdict on an object: a refusal, or an admission once this resolves. */
export type Admission = { denial: string } | (() => Promise<void>);

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
    const response = { uid, ...(await responseOf(admissions[path])) };
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  };
  const server = createServer({ key: keyPem, cert: certificatePem }, (request, response) => {
    response.setHeader('content-type', 'application/json');
    void review(request).then((answer) => response.end(JSON.stringify(answer)));
  });
  const { port } = await listen(server, 0, host);
  const caBundle = Buffer.from(certificatePem).toString('base64');
  return {
    clientConfigOf: (path) => ({ url: `https://${host}:${port}${path}`, caBundle }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

async function responseOf(admission: Admission = async () => {}): Promise<object> {
  if (typeof admission === 'function') return admission().then(() => ({ allowed: true }));
  return { allowed: false, status: { code: 403, message: admission.denial } };
}
