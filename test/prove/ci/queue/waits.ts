import * as z from 'zod';
import { until } from '../../cluster/until.ts';
import type { GiteaClient } from '../gitea/gitea-client.ts';
import { startRelay } from './relay.ts';

/** How long jobs waited, in milliseconds since Gitea answered the commit that queues them. It queues them a moment later. */
export interface JobWaits {
  /** Until the first webhook with *queued*: when davit learns of them. */
  untilToldMs: number;
  /** For each job, until the webhook with *in_progress*. */
  untilRunningMs: number[];
  /** For each job, until it ran by Gitea's own record, which has whole seconds. */
  untilStartedMs: number[];
}

/** Measures how long jobs wait in a Gitea. */
export interface QueueWaits extends AsyncDisposable {
  /** Queues jobs in a new repository, all at once. Resolves when all have ended. */
  queue(jobs: number): Promise<JobWaits>;
}

/** The place of the jobs, and the receiver of their webhooks. */
export interface QueueWaitsOptions {
  client: GiteaClient;
  /** A new organization. Its webhooks are measured and forwarded. */
  organization: string;
  webhookSecret: string;
  /** davit's URL for Gitea's webhooks; undefined when davit must receive none. */
  webhookUrl: (() => string) | undefined;
}

const JobEvent = z.object({ action: z.string(), workflow_job: z.object({ id: z.int() }) });
const patienceMs = 600_000;

/** Starts to measure. */
export async function startQueueWaits(options: QueueWaitsOptions): Promise<QueueWaits> {
  const { client, organization, webhookUrl } = options;
  let toldMs: number | undefined;
  const startedMs = new Map<number, number>();
  const ended = new Set<number>();
  const relay = await startRelay({
    target: () => webhookUrl?.() ?? '',
    delayOf: () => 0,
    instead: async (payload) => {
      const { action, workflow_job: job } = JobEvent.parse(payload);
      if (action === 'queued') toldMs ??= performance.now();
      if (action === 'in_progress') startedMs.set(job.id, performance.now());
      if (action === 'completed') ended.add(job.id);
      return webhookUrl === undefined;
    },
  });
  await client.createOrganization(organization);
  await client.createWebhook(organization, { url: relay.url, secret: options.webhookSecret });
  let repositories = 0;

  return {
    queue: async (jobs) => {
      repositories += 1;
      const repository = `jobs${repositories}`;
      await client.createRepository(organization, repository);
      const parts = Array.from({ length: jobs }, (_, index) => index).join(', ');
      const job = `  job:\n    runs-on: linux\n    strategy:\n      matrix:\n        part: [${parts}]\n    steps:\n      - run: "true"\n`;
      toldMs = undefined;
      startedMs.clear();
      ended.clear();
      await client.commitWorkflow(organization, repository, 'w.yaml', `on: [push]\njobs:\n${job}`);
      const [committedMs, committedEpochMs] = [performance.now(), Date.now()];
      // Webhooks may overtake each other.
      const areOver = async () => ended.size >= jobs && startedMs.size >= jobs && toldMs;
      const told = await until(`${jobs} jobs have ended`, patienceMs, areOver);
      const sinceCommit = (atMs: number) => Math.max(0, atMs - committedMs);
      const recorded = await client.listJobs(organization, repository);
      return {
        untilToldMs: sinceCommit(told),
        untilRunningMs: [...startedMs.values()].map(sinceCommit),
        untilStartedMs: recorded.map(({ started_at: at }) => Math.max(0, Date.parse(at ?? '') - committedEpochMs)),
      };
    },
    [Symbol.asyncDispose]: () => relay.stop(),
  };
}
