import * as z from 'zod';
import type { ApiClient } from '../../contract/api-client.ts';

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
const Resources = z.object({ resources: z.array(z.object({ name: z.string(), kind: z.string() })) });

/**
 * Applies a manifest as `kubectl apply --server-side` does: it creates the object, or updates an existing one.
 *
 * @param options.isDryRun whether the server only checks the object: its fields against the schema, and its admission
 * @throws Error with the server's answer when the server refuses it
 */
export async function apply(api: ApiClient, manifest: unknown, { isDryRun = false } = {}): Promise<void> {
  const { apiVersion, kind, metadata } = Manifest.parse(manifest);
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = Resources.parse((await api.send(group)).body);
  const plural = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'))?.name;
  if (plural === undefined)
    throw new Error(`apply ${kind} ${metadata.name}: the server knows no ${apiVersion} ${kind}`);
  const within = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  const path = `${group}${within}/${plural}/${metadata.name}`;
  const answer = await api.send(
    `${path}?fieldManager=kubectl&force=true&fieldValidation=Strict${isDryRun ? '&dryRun=All' : ''}`,
    { method: 'PATCH', body: JSON.stringify(manifest), contentType: 'application/apply-patch+yaml' },
  );
  if (answer.status >= 300) throw new Error(`apply ${kind} ${metadata.name}: ${answer.status} ${answer.text}`);
}
