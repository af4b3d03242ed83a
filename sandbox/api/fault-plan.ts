import type { FaultAnswer, FaultEffect } from '../faults.ts';
import { failure, type StatusError } from '../store/status-error.ts';
import type { WatchFaults } from './watch.ts';

/** The combined faults of one request. */
export interface FaultPlan {
  delayMs: number;
  answer: StatusError | undefined;
  dropsBefore: boolean;
  dropsAfter: boolean;
  hangs: boolean;
  nodePortDelayMs: number;
  watch: WatchFaults;
}

function toStatusError({ code, reason, message, retryAfterSeconds }: FaultAnswer): StatusError {
  return failure(code, reason, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

function apply(plan: FaultPlan, effect: FaultEffect, random: () => number): FaultPlan {
  switch (effect.kind) {
    case 'delay': {
      const [leastMs, mostMs] = typeof effect.delayMs === 'number' ? [effect.delayMs, effect.delayMs] : effect.delayMs;
      return { ...plan, delayMs: plan.delayMs + leastMs + random() * (mostMs - leastMs) };
    }
    case 'answer':
      return { ...plan, answer: plan.answer ?? toStatusError(effect.answer) };
    case 'drop':
      return effect.when === 'before' ? { ...plan, dropsBefore: true } : { ...plan, dropsAfter: true };
    case 'hang':
      return { ...plan, hangs: true };
    case 'late-node-ports':
      return { ...plan, nodePortDelayMs: plan.nodePortDelayMs + effect.delayMs };
    case 'close-watch':
      return { ...plan, watch: { ...plan.watch, closeAfterMs: effect.afterMs } };
    case 'silence-watch':
      return { ...plan, watch: { ...plan.watch, silenceAfterMs: effect.afterMs } };
    case 'expire-watch':
      return { ...plan, watch: { ...plan.watch, isExpired: true } };
    default:
      return effect satisfies never;
  }
}

const nothing: FaultPlan = {
  delayMs: 0,
  answer: undefined,
  dropsBefore: false,
  dropsAfter: false,
  hangs: false,
  nodePortDelayMs: 0,
  watch: {},
};

/**
 * Combines effects: delays add up, and the first answer wins.
 *
 * @param random returns the next random number, 0 to 1, for delays with a range
 */
export function faultPlan(effects: readonly FaultEffect[], random: () => number): FaultPlan {
  return effects.reduce((plan, effect) => apply(plan, effect, random), nothing);
}
