import type { Connection } from '../../../cli/api/connection.ts';
import type { LaunchRecord } from '../../../core/launch/launch-record.ts';
import { answerClusters } from '../../../functions/clusters/clusters.ts';
import { answerJobs } from '../../../functions/jobs/jobs.ts';
import { answerLaunches } from '../../../functions/launches/launches.ts';
import type { SweepReport } from '../../../functions/sweep/sweep-report.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { sqliteRoundCursors } from '../../../local/store/sqlite-ci-memory.ts';
import { sqliteClusterStates } from '../../../local/store/sqlite-cluster-states.ts';
import { sqliteRefusedWebhooks } from '../../../local/store/sqlite-refused-webhooks.ts';
import type { ClusterStates } from '../../../ports/cluster-states.ts';
import type { Jobs } from '../../../ports/jobs.ts';
import type { RefusedWebhookStore } from '../../../ports/refused-webhooks.ts';
import type { HttpAnswer } from '../../../runtime/http/answer.ts';
import { Problem, problemAnswer } from '../../../runtime/http/problem.ts';
import { makeLaunchDeps } from '../../support/make-launch-deps.ts';
import { makeProfile } from '../../support/make-profile.ts';
import { MemoryLaunches } from '../../support/memory-launches.ts';

/** davit's real answers, over tables in memory. */
export interface MemoryDavit {
  launches: MemoryLaunches;
  clusterStates: ClusterStates;
  jobs: Jobs;
  refusedWebhooks: RefusedWebhookStore;
  put(record: LaunchRecord): Promise<void>;
  /** The console's requests, for example `GET /launches`. */
  asked: string[];
  open: () => Promise<Connection>;
}

const gitea = { name: 'gitea', provider: 'gitea', url: 'https://gitea.example', webhookSecret: 'a' } as const;
const ciSystems = [{ ...gitea, tokenSecret: 'b' }];

/** Makes a davit with clusters of these names. @param swept the report of a dry sweep */
export function createMemoryDavit(clusters: readonly string[] = ['sandbox'], swept?: SweepReport): MemoryDavit {
  const launches = new MemoryLaunches();
  const clusterStates = sqliteClusterStates(openStore(':memory:'));
  const refusedWebhooks = sqliteRefusedWebhooks(openStore(':memory:'));
  const cursors = sqliteRoundCursors(openStore(':memory:'));
  const profiles = [makeProfile({ labels: ['linux'] })];
  const clusterProfiles = [{ clusters: [...clusters], namespace: 'agents' }];
  const deps = makeLaunchDeps({ launches, profiles, nowEpochMs: Date.now });
  const asked: string[] = [];

  async function answer({ method, url, headers }: Request): Promise<HttpAnswer> {
    const { pathname, searchParams } = new URL(url);
    const [what = '', subject] = pathname.slice(1).split('/').map(decodeURIComponent);
    asked.push(`${method} ${pathname}`);
    const request = {
      method,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(headers),
      body: Buffer.alloc(0),
      caller: 'arn:aws:iam::1:user/ada',
      receivedAtEpochMs: Date.now(),
    };
    if (what === 'launches') {
      return answerLaunches(deps, { ...request, parameters: subject === undefined ? {} : { launchId: subject } });
    }
    if (what === 'jobs')
      return answerJobs({ ...deps, ciSystems, refusedWebhooks, cursors }, { ...request, parameters: {} });
    const known = { clusters, profiles: clusterProfiles, clusterStates, launches, nowEpochMs: Date.now };
    return answerClusters(known, { ...request, parameters: subject === undefined ? {} : { name: subject } });
  }

  async function fetchAnswer(request: Request): Promise<Response> {
    const { statusCode, headers, body } = await answer(request).catch((error: unknown) => {
      if (error instanceof Problem) return problemAnswer(error);
      throw error;
    });
    return new Response(body === '' ? null : body, { status: statusCode, headers });
  }

  const connection: Connection = { url: 'http://davit.example', fetch: fetchAnswer, run: async () => swept };
  return {
    launches,
    clusterStates,
    jobs: deps.jobs,
    refusedWebhooks,
    asked,
    put: async (record) => {
      const { created } = await launches.request(record);
      if (!created) launches.records.replace(record.launchId, () => record);
    },
    open: async () => connection,
  };
}
