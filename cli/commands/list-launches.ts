import type { LaunchStatus } from '../../core/launch/launch-record.ts';
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

/** Lists launches, newest first. */
export async function listLaunches(api: ApiClient, options: LaunchListOptions): Promise<Launch[]> {
  const { status, profile, cluster, repository, since, until, limit } = options;
  const filter = present({ status, profile, cluster, repository, since, until });
  return await readPages(limit, async (page) => {
    const { launches: items, cursor } = answered(
      await api.GET('/launches', { params: { query: { ...filter, ...page } } }),
      'launches',
    );
    return { items, cursor };
  });
}
