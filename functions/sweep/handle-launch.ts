import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { hasEnded } from '../../core/pod/has-ended.ts';
import { askForRetirement, endAndRetire } from '../../logic/lifecycle/end-and-retire.ts';
import type { LaunchCandidate } from './candidate.ts';
import { type EndingEvidence, endingOf } from './ending-of.ts';
import { type AgentExit, exitOf } from './exit-words.ts';
import { agentExited, cleanUpQuietMs, isStillHeld, judgeLaunch, type LaunchSights } from './judge-launch.ts';
import { launchIdOfObject } from './judge-object.ts';
import type { SweepDeps } from './sweep-deps.ts';
import type { LaunchFinding, Outcome } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';
import type { LaunchReason, SpareReason } from './verdict.ts';

/** How a sweep acts on launches. */
export interface LaunchOptions {
  dryRun: boolean;
  graceSeconds: number;
}

type Handled = { reason: LaunchReason; outcome: Outcome } | { spared: SpareReason };

/**
 * Reads a launch again, its execution first, and acts as its record then requires.
 *
 * @returns undefined when the launch is spared
 */
export async function handleLaunch(
  deps: SweepDeps,
  run: SweepRun,
  candidate: LaunchCandidate,
  options: LaunchOptions,
): Promise<LaunchFinding | undefined> {
  const { kind, launchId, reason } = candidate;
  const handled = await run.attempt(`launch ${launchId}`, () => mend(deps, candidate, options));
  if (handled === undefined) return { kind, launchId, reason, outcome: 'failed' };
  if (!('spared' in handled)) return { kind, launchId, ...handled };
  run.spare(handled.spared);
  return undefined;
}

async function mend(deps: SweepDeps, candidate: LaunchCandidate, options: LaunchOptions): Promise<Handled> {
  const execution = await deps.executions.status(candidate.launchId);
  const record = await deps.launches.get(candidate.launchId);
  if (record === undefined) return { spared: 'ChangedMeanwhile' };
  const isSeen = isLookedFor(candidate, record, deps.nowEpochMs());
  const exit = isSeen ? await lookForExit(deps, record) : undefined;
  const agent = isSeen ? agentAfter(exit) : 'unknown';
  const verdict = judgeLaunch(record, { execution, agent }, deps.nowEpochMs(), options.graceSeconds);
  if (verdict.is === 'kept') return { spared: 'ChangedMeanwhile' };
  if (verdict.is === 'spared') {
    if (!options.dryRun && exit !== undefined) await noteExit(deps, record, exit);
    return { spared: verdict.why };
  }
  const { reason } = verdict;
  if (options.dryRun) return { reason, outcome: 'found' };
  const outcome = await act(deps, record, reason, { execution, exit }, options.graceSeconds);
  return outcome === undefined ? { spared: 'ChangedMeanwhile' } : { reason, outcome };
}

/**
 * Only an exited agent needs a look at its cluster, and a Pod that is still held: an agent that lives too long ends even if
 * its cluster is away, and so does a hold.
 */
function isLookedFor({ reason }: LaunchCandidate, record: LaunchRecord, nowEpochMs: number): boolean {
  return reason === agentExited || isStillHeld(record, nowEpochMs);
}

function agentAfter(exit: AgentExit | undefined): LaunchSights['agent'] {
  if (exit === undefined) return 'there';
  return exit.isGone ? 'gone' : 'exited';
}

/**
 * Counts the Pod of another owner, in the agent's name, as no Pod.
 *
 * @returns undefined while the agent's Pod is there and has not ended
 */
async function lookForExit(
  { openCluster }: SweepDeps,
  { launchId, plan }: LaunchRecord,
): Promise<AgentExit | undefined> {
  if (plan === undefined) return undefined;
  const { pods } = await openCluster(plan.cluster);
  const found = await pods.get(plan.namespace, plan.agentName);
  const pod = found !== undefined && launchIdOfObject(found.metadata) === launchId ? found : undefined;
  return pod === undefined || hasEnded(pod) ? exitOf(pod) : undefined;
}

/** Records when the sweep first saw that an agent has exited, because the cluster does not know it for a deleted Pod. */
async function noteExit(
  { launches, nowEpochMs }: SweepDeps,
  { launchId }: LaunchRecord,
  { words: detail }: AgentExit,
): Promise<void> {
  await launches.noteSignal(launchId, { code: agentExited, detail, sinceEpochMs: nowEpochMs() });
}

/** @returns undefined when another process was first */
async function act(
  deps: SweepDeps,
  record: LaunchRecord,
  reason: LaunchReason,
  seen: EndingEvidence,
  graceSeconds: number,
): Promise<Outcome | undefined> {
  const { launchId, plan } = record;
  if (reason === 'NeverStarted') {
    return plan !== undefined && (await deps.executions.start(plan)) ? 'started' : undefined;
  }
  if (reason === 'CleanUpUnfinished') return (await askAgain(deps, record, graceSeconds)) ? 'asked' : undefined;
  const ending = endingOf(record, reason, seen, deps.nowEpochMs());
  // The judged launch was not connected. An agent that has connected since then stays.
  const ended = await endAndRetire(deps, launchId, ending, { unlessConnected: record.status === 'launching' });
  return ended?.record.status === 'connected' ? undefined : 'ended';
}

/** Requests the clean-up and stops the execution again: the process that ended the launch may have died before either. */
async function askAgain(deps: SweepDeps, record: LaunchRecord, graceSeconds: number): Promise<boolean> {
  const { launchId, ending } = record;
  const now = deps.nowEpochMs();
  if (!(await deps.launches.claimCleanUp(launchId, now, now - cleanUpQuietMs(record, graceSeconds)))) return false;
  await deps.invokeLater('clean-up', { launchId });
  await askForRetirement(deps, record);
  await deps.executions.stop(launchId, ending?.message ?? 'the launch is over');
  return true;
}
