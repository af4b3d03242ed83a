import { type FaultKind, interrupting } from '../world/fault-kinds.ts';
import type { HistoryEvent } from '../world/history.ts';
import { warmPools } from '../world/profiles.ts';
import type { Invariant } from './evidence.ts';
import { hasLeft } from './queued-jobs.ts';

/** The model's guard: an agent that stands by is registered only for a job that asked for it. */
export const summonedFirst: Invariant = {
  name: '12: no agent that stands by is registered before a job has summoned it',
  *check(evidence) {
    const standing = new Set<string>();
    for (const event of evidence.acts) {
      if (event.kind === 'stoodBy') standing.add(event.launchId);
      if (event.kind === 'summoned') standing.delete(event.launchId);
      if (event.kind === 'registered' && standing.has(event.launchId))
        yield `${event.launchId} stood by, and registered`;
    }
  },
};

/** A job has a launch of its own, whose agent must come for it unless another agent has taken it. */
export const noneStandsByInNeed: Invariant = {
  name: '12: no agent stands by while the job waits that its launch was requested for',
  *check(evidence) {
    const waiting = new Set<string>();
    for (const event of evidence.acts) {
      if (event.kind === 'jobQueued') waiting.add(event.job);
      if (event.kind === 'handedOut' || event.kind === 'jobOver') waiting.delete(event.job);
      if (event.kind === 'stoodBy' && waiting.has(event.launchId.replace(/-x\d+$/, '')))
        yield `${event.launchId} stood by, and its job waited`;
    }
  },
};

/** A round may begin before a job is queued, and summons at one look: the next one sees whether the agent came. */
const mostRounds = 3;

/** By these faults, a round does not see the job or the agent, or comes to nothing. */
const blinding: readonly FaultKind[] = [
  ...interrupting,
  'ciUnavailable',
  'ciOutage',
  'ciMinuteFull',
  'invokeRefused',
  'listMissesOne',
  'repositoryQuiet',
  'staleJobList',
  'staleList',
];

/** Within how long two runs count as one round: a schedule's event may come twice. */
const sameRoundMs = 30_000;

function isRound(event: HistoryEvent): boolean {
  return event.kind === 'stepEnded' && event.step === 'reconcile' && event.error === undefined;
}

/** Only where each round sees everything. */
export const summonedSoon: Invariant = {
  name: '12: no job waits while an agent of its pool stands by for longer than reconciling takes',
  *check(evidence) {
    const { plan, world } = evidence.run;
    if (blinding.some((kind) => plan.has(kind))) return;
    const pool = warmPools[world.queue.server.provider] ?? '';
    const [queued, standing, ready] = [new Set<string>(), new Set<string>(), new Set<string>()];
    let [rounds, lastAtEpochMs] = [0, 0];
    for (const event of evidence.acts) {
      if (event.kind === 'jobQueued' && event.pool === pool) queued.add(event.job);
      if (event.kind === 'handedOut' || event.kind === 'jobOver') queued.delete(event.job);
      if (event.kind === 'stoodBy') standing.add(event.launchId);
      if (event.kind === 'summoned' || event.kind === 'registered') {
        standing.delete(event.launchId);
        if (evidence.planOf(event.launchId)?.profile === pool) ready.add(event.launchId);
      }
      if (hasLeft(event) && event.launchId !== undefined) {
        standing.delete(event.launchId);
        // While davit cannot reach a cluster, it does not see that an agent there has ended: invariant 5 judges that.
        if (event.kind !== 'agentEnded') ready.delete(event.launchId);
      }
      const isInNeed = standing.size > 0 && queued.size > ready.size;
      if (!isInNeed) rounds = 0;
      else if (isRound(event) && event.atEpochMs - lastAtEpochMs > sameRoundMs) {
        rounds += 1;
        lastAtEpochMs = event.atEpochMs;
      }
      if (rounds > mostRounds) {
        yield `${queued.size} jobs of ${pool} waited for ${rounds} rounds, and ${standing.size} agents stood by`;
        return;
      }
    }
  },
};
