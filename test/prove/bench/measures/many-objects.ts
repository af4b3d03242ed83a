import * as z from 'zod';
import { labelKeys } from '../../../../core/launch/names.ts';
import type { ApiClient } from '../../../contract/api-client.ts';
import { namespace } from '../../cluster/credentials.ts';
import { create } from '../../cluster/node-objects.ts';
import { type Bench, newLaunchId } from '../bench.ts';
import { type Amount, turnsOf } from '../size.ts';

/** The page size of a list. */
export const objectsAPage = 500;

const kinds = ['services', 'pods'] as const;
const ours = `${labelKeys.managedBy}=davit`;
const atATime = 16;
const ListMetadata = z.object({ metadata: z.object({ continue: z.string().optional() }) });

/**
 * Creates objects with davit's label for launches that davit does not know, as young as launches in flight. One in five
 * is a Service.
 *
 * @returns the number of objects of each kind
 */
export async function fillCluster(
  { api, say }: Bench,
  amount: Amount,
): Promise<Record<(typeof kinds)[number], number>> {
  const made = { services: 0, pods: 0 };
  // All creators share one counter.
  const turns = turnsOf(amount);
  const work = async () => {
    for (const turn of turns) {
      const kind = turn % 5 === 0 ? 'services' : 'pods';
      made[kind] += 1;
      if (turn % 1000 === 0) say(`sweep: ${turn} objects`);
      await create(api, pathOf(kind), { apiVersion: 'v1', ...objectOf(kind, turn) });
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return made;
}

/** Gets the pages that a sweep gets. */
export async function listAll(api: ApiClient): Promise<void> {
  for (const kind of kinds) {
    let cursor = '';
    do {
      const query = new URLSearchParams({ labelSelector: ours, limit: `${objectsAPage}`, continue: cursor });
      const { body } = await api.send(`${pathOf(kind)}?${query.toString()}`);
      cursor = ListMetadata.parse(body).metadata.continue ?? '';
    } while (cursor !== '');
  }
}

const pathOf = (kind: (typeof kinds)[number]): string => `/api/v1/namespaces/${namespace}/${kind}`;

function objectOf(kind: (typeof kinds)[number], number: number) {
  const labels = { [labelKeys.managedBy]: 'davit', [labelKeys.launchId]: newLaunchId() };
  const metadata = { name: `swept-${number}`, labels };
  if (kind === 'services') return { kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } };
  return { kind: 'Pod', metadata, spec: { schedulerName: 'nobody', containers: [{ name: 'agent', image: 'none' }] } };
}
