import * as z from '../../core/zod.ts';

/** Why a sweep deletes an object; `judgeObject` has the rules. */
export const ObjectReason = z.enum(['LaunchOver', 'LaunchCleaning', 'EarlierGeneration', 'LaunchUnknown']);
export type ObjectReason = z.infer<typeof ObjectReason>;

/** Why a sweep acts on a launch; `judgeLaunch` has the rules. */
export const LaunchReason = z.enum([
  'NeverStarted',
  'ExecutionOver',
  'LaunchExpired',
  'AgentLifetimeExceeded',
  'AgentExited',
  'CleanUpUnfinished',
]);
export type LaunchReason = z.infer<typeof LaunchReason>;

/** Why a sweep leaves a suspect alone for now. */
export const SpareReason = z.enum([
  /** Its launch is unknown, and it is younger than a launch can be in flight. */
  'YoungUnknown',
  /** The cluster is deleting it already. */
  'BeingDeleted',
  /** It has davit's label, but no launch id that davit could have made. */
  'NoLaunchId',
  /** The agent has exited, and the profile's `removeExitedAfterSeconds` have not passed. */
  'AgentJustExited',
  /** It had changed when the sweep read it again. */
  'ChangedMeanwhile',
]);
export type SpareReason = z.infer<typeof SpareReason>;

/** A sweep's decision about one object or launch. */
export type Verdict<Reason extends ObjectReason | LaunchReason> =
  | { is: 'kept' }
  | { is: 'spared'; why: SpareReason }
  | { is: 'found'; reason: Reason };

/** No action is needed. */
export const kept = { is: 'kept' } as const;

/** No action is needed yet. */
export function spared(why: SpareReason): { is: 'spared'; why: SpareReason } {
  return { is: 'spared', why };
}

/** The sweep must act. */
export function found<Reason extends ObjectReason | LaunchReason>(reason: Reason): { is: 'found'; reason: Reason } {
  return { is: 'found', reason };
}
