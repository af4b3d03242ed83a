import * as z from '../zod.ts';

/** Why an object is deleted; the rules are those of `judgeObject`. */
export const ObjectReason = z.enum(['LaunchOver', 'LaunchCleaning', 'EarlierGeneration', 'LaunchUnknown']);
export type ObjectReason = z.infer<typeof ObjectReason>;

/** Why something is done about a launch; the rules are those of `judgeLaunch`. */
export const LaunchReason = z.enum([
  'NeverStarted',
  'ExecutionOver',
  'LaunchExpired',
  'AgentLifetimeExceeded',
  'AgentExited',
  'CleanUpUnfinished',
]);
export type LaunchReason = z.infer<typeof LaunchReason>;

/** Why something that looks as if it were to be swept is not, yet. */
export const SpareReason = z.enum([
  /** Of a launch that nobody knows, and younger than a launch can be in flight. */
  'YoungUnknown',
  /** It is on its way already. */
  'BeingDeleted',
  /** It carries davit's label, and no launch id that davit could have made. */
  'NoLaunchId',
  /** The agent has exited, and the profile gives it some time. */
  'AgentJustExited',
  /** It was otherwise when it was read again. */
  'ChangedMeanwhile',
]);
export type SpareReason = z.infer<typeof SpareReason>;

/** What is to be made of one thing that a sweep has looked at. */
export type Verdict<Reason extends ObjectReason | LaunchReason> =
  | { is: 'kept' }
  | { is: 'spared'; why: SpareReason }
  | { is: 'found'; reason: Reason };

/** There is nothing to be done. */
export const kept = { is: 'kept' } as const;

/** Nothing is to be done yet. */
export function spared(why: SpareReason): { is: 'spared'; why: SpareReason } {
  return { is: 'spared', why };
}

/** Something is to be done. */
export function found<Reason extends ObjectReason | LaunchReason>(reason: Reason): { is: 'found'; reason: Reason } {
  return { is: 'found', reason };
}
