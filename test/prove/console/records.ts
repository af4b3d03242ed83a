import type { LaunchRecord } from '../../../core/launch/launch-record.ts';
import type { SweepReport } from '../../../functions/sweep/sweep-report.ts';
import { endingOf, planOf, recordOf, signalOf } from '../../contract/launch-fixtures.ts';
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
