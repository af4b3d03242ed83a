import { graceOf } from '../pod/judge-containers.ts';
import type { LaunchRecord, Signal } from './launch-record.ts';
import type { Deadlines, LaunchPlan } from './launch-state.ts';
import type { Timeline } from './timeline.ts';
import { waitsForRoom } from './waits-for-room.ts';

/** A step of the state machine that can wait. */
export type WaitingStep = 'CreateService' | 'PollNodePort' | 'CreatePod' | 'PollHostIP' | 'PublishToken';

/** The step that a launch is in, and how long it may wait there. */
export interface Waiting {
  step: WaitingStep;
  sinceEpochMs: number;
  /** When davit gives up, unless the launch gets further. */
  untilEpochMs: number;
  /** The key of the profile that sets this limit. */
  limit: `deadlines.${keyof Deadlines}` | `graces.${'imagePullSeconds' | 'containerSeconds'}`;
}

/** Each wait of a step, what begins it, and its deadline; the latest first. PublishToken waits for the agent, too. */
const steps: readonly { step: WaitingStep; after?: keyof Timeline; deadline: keyof Deadlines }[] = [
  { step: 'PublishToken', after: 'tokenMs', deadline: 'connectSeconds' },
  { step: 'PublishToken', after: 'hostMs', deadline: 'publishSeconds' },
  { step: 'PollHostIP', after: 'podMs', deadline: 'placementSeconds' },
  { step: 'CreatePod', after: 'portMs', deadline: 'podSeconds' },
  { step: 'PollNodePort', after: 'serviceMs', deadline: 'nodePortSeconds' },
];

/**
 * Says which step a `launching` launch is in, and when davit gives up. A grace period may end before the step's deadline.
 *
 * @returns undefined for a launch that does not wait, or whose record does not say yet how far it has come
 */
export function waitingOf({ status, plan, timeline, signal }: LaunchRecord): Waiting | undefined {
  if (status !== 'launching' || plan === undefined || timeline === undefined) return undefined;
  const byStep = stepOf(plan, timeline);
  const bySignal = signal && limitOf(plan, signal);
  if (bySignal === undefined) return byStep;
  const isSooner = bySignal.limit.startsWith('deadlines.') || bySignal.untilEpochMs < byStep.untilEpochMs;
  return isSooner ? { ...byStep, ...bySignal } : byStep;
}

function stepOf({ expose, deadlines, startedAtEpochMs }: LaunchPlan, timeline: Timeline): Waiting {
  const present = steps.find(({ after }) => after !== undefined && timeline[after] !== undefined);
  const { step, deadline } = present ?? firstStep(expose);
  const sinceEpochMs = startedAtEpochMs + ((present?.after && timeline[present.after]) ?? 0);
  return { step, sinceEpochMs, ...until(sinceEpochMs, `deadlines.${deadline}`, deadlines[deadline]) };
}

function firstStep(expose: LaunchPlan['expose']): { step: WaitingStep; deadline: keyof Deadlines } {
  return expose === 'none'
    ? { step: 'CreatePod', deadline: 'podSeconds' }
    : { step: 'CreateService', deadline: 'serviceSeconds' };
}

/** The limit that counts from when the trouble was first seen. */
function limitOf({ deadlines, graces }: LaunchPlan, { code, sinceEpochMs }: Signal) {
  const deadline = waitsForRoom.get(code)?.seconds;
  if (deadline !== undefined) return until(sinceEpochMs, `deadlines.${deadline}`, deadlines[deadline]);
  const grace = graceOf(code);
  return grace && until(sinceEpochMs, `graces.${grace}`, graces[grace]);
}

function until(
  sinceEpochMs: number,
  limit: Waiting['limit'],
  seconds: number,
): Pick<Waiting, 'untilEpochMs' | 'limit'> {
  return { limit, untilEpochMs: sinceEpochMs + seconds * 1000 };
}
