import { api, type JobList, keepAnswers, type Launch, type LaunchList, type QueuedJob, type Status } from './api.ts';

/** What the first page knows. */
export interface Overview {
  /** The launches that failed in the last hour, newest first. */
  failed: readonly Launch[];
  launching: readonly Launch[];
  /** The latest launches that failed, start, run and have ended, newest first. */
  latest: readonly Launch[];
  jobs: readonly QueuedJob[];
  refusedWebhooks: NonNullable<JobList['refusedWebhooks']>;
  /** Whether there is more than the page reads. */
  hasMore: { failed: boolean; launching: boolean; jobs: boolean };
}

const hourMs = 3_600_000;
const pageSize = 100;
const mostPages = 5;
/** So many of each, so that a burst of new launches hides no failure. */
const latestOfEach = 6;

interface Query {
  status: Status[];
  since?: string;
  limit?: number;
  cursor?: string;
}

/** Makes the reader of the first page: an unchanged answer costs no transfer. */
export function createOverviewReader(): () => Promise<Overview> {
  const kept = keepAnswers<LaunchList>();
  const keptJobs = keepAnswers<JobList>();

  const readPage = (query: Query) =>
    kept.read(JSON.stringify(query), (header) => api.GET('/launches', { params: { query, header } }));

  async function readAll(query: Query): Promise<{ launches: Launch[]; hasMore: boolean }> {
    const launches: Launch[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const list = await readPage({ ...query, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
      launches.push(...list.launches);
      cursor = list.cursor;
      if (cursor === undefined) return { launches, hasMore: false };
    }
    return { launches, hasMore: true };
  }

  async function readJobs(): Promise<JobList> {
    return keptJobs.read('jobs', (header) => api.GET('/jobs', { params: { query: { limit: pageSize }, header } }));
  }

  return async () => {
    // To the minute, so that the same hour is asked for several times.
    const since = new Date(Math.floor((Date.now() - hourMs) / 60_000) * 60_000).toISOString();
    const [failed, launching, ended, connected, jobs] = await Promise.all([
      readAll({ status: ['cleaning', 'failed'], since }),
      readAll({ status: ['launching'] }),
      readPage({ status: ['terminated'], limit: latestOfEach }),
      readPage({ status: ['connected'], limit: latestOfEach }),
      readJobs(),
    ]);
    const failures = failed.launches.filter(({ ending }) => ending?.outcome === 'failed');
    return {
      failed: failures,
      launching: launching.launches,
      latest: newestOf([failures, launching.launches, ended.launches, connected.launches]),
      jobs: jobs.jobs,
      refusedWebhooks: jobs.refusedWebhooks ?? [],
      hasMore: { failed: failed.hasMore, launching: launching.hasMore, jobs: jobs.cursor !== undefined },
    };
  };
}

function newestOf(lists: readonly (readonly Launch[])[]): Launch[] {
  return lists.flatMap((launches) => launches.toSorted(newestFirst).slice(0, latestOfEach)).toSorted(newestFirst);
}

function newestFirst(one: Launch, other: Launch): number {
  return Date.parse(other.requestedAt) - Date.parse(one.requestedAt);
}
