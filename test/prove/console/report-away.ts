import type { MemoryDavit } from './memory-davit.ts';

const minuteMs = 60_000;

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
