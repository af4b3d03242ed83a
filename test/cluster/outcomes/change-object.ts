import type { ApiClient } from '../../contract/api-client.ts';

/** A change as RFC 7396 has it: null takes a field away. */
export async function change(api: ApiClient, path: string, body: object): Promise<void> {
  const answer = await api.send(path, { method: 'PATCH', body, contentType: 'application/merge-patch+json' });
  if (answer.status !== 200) throw new Error(`PATCH ${path}: ${answer.status} ${answer.text}`);
}

/** Deletes an object, and says nothing of a grace period. @throws Error when there is none */
export async function remove(api: ApiClient, path: string): Promise<void> {
  const answer = await api.send(path, { method: 'DELETE' });
  if (answer.status > 202) throw new Error(`DELETE ${path}: ${answer.status} ${answer.text}`);
}

/** Deletes an object without any grace. @throws Error when there is none */
export async function removeAtOnce(api: ApiClient, path: string): Promise<void> {
  await remove(api, `${path}?gracePeriodSeconds=0`);
}
