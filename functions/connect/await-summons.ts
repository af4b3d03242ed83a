import { isWaiting } from '../../core/job/job-record.ts';
import { credentialNumberOf } from '../../core/launch/credential-id.ts';
import { isJoinable, isStandingBy, type LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { Timeline } from '../../core/launch/timeline.ts';
import type { AgentIdentity } from '../../ports/credentials.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrations } from '../../ports/registrations.ts';
import { credentialRefused, launchOver } from './refusals.ts';

/** The dependencies of waiting for a summons. */
export interface AwaitSummonsDeps {
  launches: Pick<Launches, 'get'>;
  jobs: Pick<Jobs, 'getMany'>;
  registrations: Pick<Registrations, 'standBy' | 'noteRenewal'>;
  /** How long connect waits before it reads the record again, in milliseconds. @default `standbyPace.lookMs` */
  standbyLookMs?: number | undefined;
  sleep: (ms: number) => Promise<void>;
  nowEpochMs: () => number;
}

/**
 * How connect holds an agent that stands by: it looks for a summons four times a second, because a job waits for the
 * look. It answers after 20 s. So a registration that begins at the last look has 9 s before connect's time-out.
 */
export const standbyPace = { lookMs: 250, heldMs: 20_000 } as const;

/**
 * How long an agent lets the one that was summoned for its job go first, in milliseconds since its launch was requested. Most
 * agents take longer to come. Otherwise both would register for one job.
 */
const letsFirstMs = 10_000;

/** The longest chain of agents that have each other's jobs to follow. The agent at the end of a longer one registers. */
const longestChain = 5;

/**
 * Lets an agent stand by for which no job waits, and waits until it is summoned, for `heldMs`. Returns at once for any other
 * agent.
 *
 * @param fromEpochMs when connect began with the request
 * @returns whether the agent is to be registered
 * @throws Problem `launch-over`, `credential-refused`; TransientError StoreUnavailable
 * @see docs/adr/0042-a-warm-agent-stands-by.md
 */
export async function awaitSummons(
  deps: AwaitSummonsDeps,
  agent: AgentIdentity,
  record: LaunchRecord,
  fromEpochMs: number,
  timeline: Timeline | undefined,
): Promise<boolean> {
  const { standbyLookMs = standbyPace.lookMs } = deps;
  const { renewals } = credentialNumberOf(agent.credentialId ?? '');
  let now = await standingOrNot(deps, agent, record, timeline);
  if (now?.standby !== undefined && renewals > (now.standby.renewals ?? 0))
    now = await deps.registrations.noteRenewal(agent, renewals);
  for (;;) {
    if (!isJoinable(now, agent.agentName)) throw launchOver(agent);
    if (renewals < (now?.standby?.renewals ?? 0)) throw credentialRefused();
    if (!isStandingBy(now)) return true;
    if (deps.nowEpochMs() + standbyLookMs > fromEpochMs + standbyPace.heldMs) return false;
    await deps.sleep(standbyLookMs);
    now = await deps.launches.get(agent.launchId);
  }
}

/** @returns the record, by which the agent stands by or not */
async function standingOrNot(
  deps: AwaitSummonsDeps,
  agent: AgentIdentity,
  record: LaunchRecord,
  timeline: Timeline | undefined,
): Promise<LaunchRecord | undefined> {
  const { plan, standby, registration } = record;
  const isDecided = standby !== undefined || registration !== undefined;
  if (plan?.join?.standsBy !== true || isDecided || (await isNeededAfterAll(deps, plan))) return record;
  return deps.registrations.standBy(agent, deps.nowEpochMs(), timeline);
}

/** Says the same as `isNeeded`, once the agent that was summoned for the job had its time to get it. */
async function isNeededAfterAll(
  deps: AwaitSummonsDeps,
  { jobKey, summoned, requestedAtEpochMs }: LaunchPlan,
): Promise<boolean> {
  const { standbyLookMs = standbyPace.lookMs } = deps;
  const letsUntilEpochMs = summoned === undefined ? 0 : requestedAtEpochMs + letsFirstMs;
  for (;;) {
    if (!(await isNeeded(deps, jobKey))) return false;
    if (deps.nowEpochMs() + standbyLookMs > letsUntilEpochMs) return true;
    await deps.sleep(standbyLookMs);
  }
}

/**
 * Says whether a queued job needs an agent that was launched for a job, or may need it. The CI system gives a job to any
 * agent, so the agent of its own launch takes the place of the one that got the job:
 *
 *     job A waits     its launch's agent runs B
 *     job B runs      the agent of its launch connects: B needs it no more, and A does
 *
 * An agent that has stood by was needed by no job before it was summoned, like one that was launched for none.
 *
 * @param jobKey undefined for a launch without a job
 */
async function isNeeded({ jobs, launches }: AwaitSummonsDeps, jobKey: string | undefined): Promise<boolean> {
  let nextKey = jobKey;
  for (let followed = 0; nextKey !== undefined; followed += 1) {
    const [job] = followed < longestChain ? await jobs.getMany([nextKey]) : [];
    if (job === undefined || isWaiting(job)) return true;
    // It never ran, or on a runner that may be one of davit's.
    if (job.ranBy === undefined) return job.status !== 'completed' || job.runner !== undefined;
    const launch = await launches.get(job.ranBy);
    if (launch === undefined) return true;
    nextKey = launch.standby === undefined ? launch.plan?.jobKey : undefined;
  }
  return false;
}
