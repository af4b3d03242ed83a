import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';

/** A launch that waits or failed, for a person who looks at its page. */
export interface ShownFailure {
  /** The file of its picture. */
  sheet: 'service' | 'placement' | 'containers' | 'infrastructure' | 'others';
  /** What happened, in Kubernetes' words if it has any, and whether davit waits or has given up. */
  caption: string;
  record: LaunchRecord;
}

const jobs = ['unit (shard 3)', 'lint', 'integration tests', 'bazel full', 'deploy preview'];

/**
 * Moves a record that a test has made at some other time to now, gives it a job, and calls the cluster as people call
 * theirs. A test may have begun a step long before its launch, so that the step's deadline is near. Then a launch that failed
 * begins earlier, too, and one that waits has just begun.
 *
 * @param nowEpochMs the time of the record's present
 */
export function told(record: LaunchRecord, index: number, nowEpochMs: number): LaunchRecord {
  const { plan, timeline = {} } = record;
  if (plan === undefined) throw new Error(`${record.launchId} has no plan`);
  const launchId = `github-7-${8800 + index}${record.status === 'launching' ? 0 : 1}-1`;
  const words = JSON.stringify({ ...record, launchId: plan.launchId })
    .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, 'https://east.example:6443')
    .replaceAll('sandbox-node', 'ip-10-20-3-7')
    .replaceAll('"sandbox"', '"east"')
    .replaceAll('cluster sandbox', 'cluster east')
    .replaceAll(plan.launchId, launchId);
  const now = Date.now();
  const moved: LaunchRecord = JSON.parse(words, movedBy(now - 3000 - nowEpochMs));
  const { signal } = moved;
  const times = Object.entries(timeline).map(([name, sinceMs = 0]) => ({ name, sinceMs }));
  const isNew = moved.status === 'launching' && times.some(({ sinceMs }) => sinceMs < 0);
  const earlyMs = Math.max(0, ...times.map(({ sinceMs }) => -sinceMs)) + 2000;
  const ageMs = signal === undefined ? 240_000 : 45_000;
  const requestedAtEpochMs = isNew ? now - ageMs : moved.requestedAtEpochMs - earlyMs;
  const startedAtEpochMs = moved.generations?.at(-1)?.endedAtEpochMs ?? requestedAtEpochMs;
  const movedTimes = times.map(({ name, sinceMs }, at) => [name, isNew ? at * 60 : sinceMs + earlyMs]);
  const job = {
    name: jobs[index % jobs.length] ?? 'build',
    repository: 'acme/shop',
    workflow: 'CI',
    runId: 8800 + index,
    attempt: 1,
    queuedAtEpochMs: requestedAtEpochMs - 900,
  };
  return {
    ...moved,
    plan: moved.plan && { ...moved.plan, job, requestedAtEpochMs, startedAtEpochMs },
    requestedAtEpochMs,
    expiresAtEpochSeconds: 4_000_000_000,
    timeline: Object.fromEntries(movedTimes),
    ...(isNew && signal ? { signal: { ...signal, sinceEpochMs: now - 18_000 } } : {}),
  };
}

function movedBy(byMs: number) {
  return (key: string, value: unknown) => (key.endsWith('EpochMs') && typeof value === 'number' ? value + byMs : value);
}
