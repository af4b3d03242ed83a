import { LaunchStatus } from '../../core/launch/launch-record.ts';
import { present } from '../../core/present.ts';
import { type ApiClient, answered } from '../api/client.ts';
import { readPages } from '../api/read-pages.ts';
import type { Launch } from '../view/timeline.ts';

/** The launches to list. */
export interface LaunchListOptions {
  status?: LaunchStatus[];
  profile?: string;
  cluster?: string;
  repository?: string;
  since?: string;
  until?: string;
  /** The maximum number, over several pages if necessary. */
  limit: number;
}

/** Lists launches, newest first. davit lists each status by itself, so this merges the lists. */
export async function listLaunches(api: ApiClient, options: LaunchListOptions): Promise<Launch[]> {
  const { status: statuses = LaunchStatus.options, profile, cluster, repository, since, until, limit } = options;
  const filter = present({ profile, cluster, repository, since, until });
  const lists = await Promise.all(
    statuses.map((status) =>
      readPages(limit, async (page) => {
        const query = { ...filter, ...page, status: [status] };
        const { launches: items, cursor } = answered(await api.GET('/launches', { params: { query } }), 'launches');
        return { items, cursor };
      }),
    ),
  );
  // A launch that changes its status meanwhile may be in two lists.
  const byId = new Map(lists.flat().map((launch) => [launch.launchId, launch]));
  return [...byId.values()]
    .toSorted((one, other) => Date.parse(other.requestedAt) - Date.parse(one.requestedAt))
    .slice(0, limit);
}
