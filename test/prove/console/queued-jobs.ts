import { seenJob } from '../../support/seen-job.ts';
import type { MemoryDavit } from './memory-davit.ts';
import { launchedAgo } from './records.ts';

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
