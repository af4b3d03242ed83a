import type { LaunchRecord } from '../../../core/launch/launch-record.ts';
import type { SweepReport } from '../../../functions/sweep/sweep-report.ts';
import { endingOf, planOf, recordOf, signalOf } from '../../contract/launch-fixtures.ts';
import { seenJob } from '../../support/seen-job.ts';
import { createMemoryDavit, type MemoryDavit } from './memory-davit.ts';

const minuteMs = 60_000;

/** A launch that has its token. */
export const placed = {
  serviceMs: 60,
  portMs: 90,
  podMs: 150,
  scheduledMs: 18_000,
  hostMs: 19_000,
  tokenMs: 19_050,
};

/** A launch of this age. */
export function launchedAgo(launchId: string, agoMs: number, overrides: Partial<LaunchRecord> = {}): LaunchRecord {
  const requestedAtEpochMs = Date.now() - agoMs;
  const plan = planOf(launchId, {
    requestedAtEpochMs,
    startedAtEpochMs: requestedAtEpochMs,
    job: { name: `build ${launchId}`, repository: 'acme/app', workflow: 'CI', runId: 7, attempt: 1 },
  });
  return recordOf(launchId, { plan, requestedAtEpochMs, expiresAtEpochSeconds: 4_000_000_000, ...overrides });
}

/** A launch in each state that the console distinguishes. */
export function launchesOfEachKind(): LaunchRecord[] {
  const now = Date.now();
  const connectedAtEpochMs = now - 7.5 * minuteMs;
  const job = { name: 'integration tests', repository: 'acme/shop', workflow: 'CI', runId: 9, attempt: 1 };
  const runs = { jobKey: 'github/1/9/1', sinceEpochMs: now - 7 * minuteMs, job, url: 'https://ci.example/jobs/9' };
  const ended = endingOf({ outcome: 'terminated', code: 'Terminated', message: 'its job is over', by: 'github' });
  return [
    launchedAgo('api-starting', 20_000),
    launchedAgo('api-held', 2 * minuteMs, {
      signal: signalOf({ code: 'QuotaExceeded', detail: 'exceeded quota: agents', sinceEpochMs: now - minuteMs }),
    }),
    launchedAgo('api-running', 8 * minuteMs, { status: 'connected', timeline: placed, connectedAtEpochMs, runs }),
    launchedAgo('api-cleaning', 9 * minuteMs, {
      status: 'cleaning',
      connectedAtEpochMs,
      ending: { ...ended, atEpochMs: now - 20_000 },
    }),
    launchedAgo('api-failed', 12 * minuteMs, {
      status: 'failed',
      timeline: { ...placed, scheduledMs: 900, hostMs: 1900, tokenMs: 1950 },
      ending: endingOf({ message: 'ghcr.io/acme/runner:7: manifest unknown', atEpochMs: now - 11 * minuteMs }),
      cleanedAtEpochMs: now - 10.9 * minuteMs,
      diagnostics: {
        atEpochMs: now - 11 * minuteMs,
        events: [{ type: 'Warning', reason: 'Failed', message: 'Failed to pull image: manifest unknown', count: 4 }],
        log: { container: 'agent', text: 'starting\nno such option: --once\n' },
        unread: [],
      },
    }),
    launchedAgo('api-terminated', 30 * minuteMs, {
      status: 'terminated',
      timeline: { ...placed, containersMs: 27_000 },
      connectedAtEpochMs: now - 29.5 * minuteMs,
      runs: { ...runs, sinceEpochMs: now - 29 * minuteMs },
      ran: { conclusion: 'success', atEpochMs: now - 20 * minuteMs },
      ending: { ...ended, atEpochMs: now - 19.8 * minuteMs },
      cleanedAtEpochMs: now - 19.5 * minuteMs,
    }),
  ];
}

/** A davit that has these launches. */
export async function davitOfEachKind(...options: Parameters<typeof createMemoryDavit>): Promise<MemoryDavit> {
  const davit = createMemoryDavit(...options);
  for (const record of launchesOfEachKind()) await davit.put(record);
  return davit;
}

/** A dry sweep that finds something, and cannot read everything. */
export const partialSweep: SweepReport = {
  dryRun: true,
  complete: true,
  seen: { launches: 4, objects: 5 },
  findings: [{ kind: 'Launch', launchId: 'api-7', reason: 'CleanUpUnfinished', outcome: 'found' }],
  found: {},
  done: {},
  spared: {},
  left: 0,
  errors: [{ subject: 'cluster eu', message: 'connect ECONNREFUSED' }],
};

/** Reports that a cluster was connected for a while, and then went away, four minutes ago. */
export async function reportAway(
  { clusterStates }: MemoryDavit,
  cluster: string,
  error = 'connect ECONNREFUSED 10.0.0.1:443',
): Promise<void> {
  const now = Date.now();
  await clusterStates.report({ cluster, kind: 'works', endedAtEpochMs: now - 60 * minuteMs, version: 'v1.35.2' });
  for (let ago = 4; ago > 0; ago -= 0.25) {
    const beganAtEpochMs = now - ago * minuteMs;
    await clusterStates.report({
      cluster,
      kind: 'failed',
      reason: 'Unreachable',
      error,
      beganAtEpochMs,
      endedAtEpochMs: beganAtEpochMs + 100,
      nextAttemptAtEpochMs: now + minuteMs,
    });
  }
}

/** Queues a job that no profile matches, one that waits for its launch, and one whose agent cannot be placed. */
export async function queueJobs(davit: MemoryDavit, overrides: Parameters<typeof seenJob>[0] = {}): Promise<void> {
  const now = Date.now();
  const queuedAtEpochMs = now - 120_000;
  await davit.jobs.note(seenJob({ jobId: 1, name: 'train', labels: ['gpu'], queuedAtEpochMs, ...overrides }), now);
  await davit.jobs.note(seenJob({ jobId: 2, name: 'lint', queuedAtEpochMs, ...overrides }), now);
  const held = await davit.jobs.note(seenJob({ jobId: 3, name: 'build', queuedAtEpochMs, ...overrides }), now);
  const launchId = 'gitea-7-3-1';
  await davit.jobs.claimLaunch(held, 0, launchId, now);
  const detail = '0/3 nodes are available: 3 Insufficient cpu';
  await davit.put(
    launchedAgo(launchId, 90_000, { signal: { code: 'Unschedulable', detail, sinceEpochMs: now - 80_000 } }),
  );
}
