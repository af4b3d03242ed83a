import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import * as z from 'zod';
import { readRequestBody } from '../../../local/request-body.ts';
import { makeServerCertificate } from '../../../sandbox/api/certificates.ts';
import type { ApiClient } from '../../contract/api-client.ts';
import { apply } from './apply.ts';
import type { Cluster } from './cluster.ts';

/** A slow admission webhook for ConfigMaps of one namespace. */
export interface SlowAdmission extends AsyncDisposable {
  /** Resolves when a request waits for it. */
  asked: Promise<unknown>;
  /** Lets all requests continue. */
  allow(): void;
}

const maxReviewBytes = 1024 * 1024;
const Review = z.object({ request: z.object({ uid: z.string() }) });

/** Starts the webhook on this machine, and registers it at the API server. */
export async function startSlowAdmission(cluster: Cluster, api: ApiClient, namespace: string): Promise<SlowAdmission> {
  const { keyPem, certificatePem } = await makeServerCertificate([cluster.hostIp]);
  const asked = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  const review = async (request: IncomingMessage): Promise<object> => {
    const { uid } = Review.parse(JSON.parse((await readRequestBody(request, maxReviewBytes)).toString())).request;
    asked.resolve();
    await allowed.promise;
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
  };
  const server = createServer({ key: keyPem, cert: certificatePem }, (request, response) => {
    void review(request).then((answer) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)),
    );
  });
  await once(server.listen(0, cluster.hostIp), 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  await apply(api, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'slow' },
    webhooks: [
      {
        name: 'slow.davit.dev',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 30,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        clientConfig: {
          url: `https://${cluster.hostIp}:${port}/`,
          caBundle: Buffer.from(certificatePem).toString('base64'),
        },
      },
    ],
  });
  return {
    asked: asked.promise,
    allow: () => allowed.resolve(),
    [Symbol.asyncDispose]: async () => {
      allowed.resolve();
      const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/slow';
      await api.send(path, { method: 'DELETE' });
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
