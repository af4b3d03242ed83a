import type { ApiClient } from '../../../contract/api-client.ts';

/** Applies an RFC 7396 merge patch: null removes a field. */
export function change(api: ApiClient, path: string, body: object): Promise<void> {
  return patch(api, path, body, 'application/merge-patch+json');
}

/** Applies an RFC 6902 JSON patch of one operation. */
export function operate(api: ApiClient, path: string, operation: object): Promise<void> {
  return patch(api, path, [operation], 'application/json-patch+json');
}

async function patch(api: ApiClient, path: string, body: object, contentType: string): Promise<void> {
  const answer = await api.send(path, { method: 'PATCH', body, contentType });
  if (answer.status !== 200) throw new Error(`PATCH ${path}: ${answer.status} ${answer.text}`);
}

/** Deletes an object with the default grace period. @throws Error when it does not exist */
export async function remove(api: ApiClient, path: string): Promise<void> {
  const answer = await api.send(path, { method: 'DELETE' });
  if (answer.status > 202) throw new Error(`DELETE ${path}: ${answer.status} ${answer.text}`);
}

/** Deletes an object without grace. @throws Error when it does not exist */
export async function removeAtOnce(api: ApiClient, path: string): Promise<void> {
  await remove(api, `${path}?gracePeriodSeconds=0`);
}
