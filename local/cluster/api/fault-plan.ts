import type { FaultAnswer, FaultEffect } from '../faults.ts';
import { failure, type StatusError } from '../store/status-error.ts';
import type { WatchFaults } from './watch.ts';

/** What goes wrong with one request, all effects together. */
export interface FaultPlan {
  delayMs: number;
  answer: StatusError | undefined;
  dropsBefore: boolean;
  dropsAfter: boolean;
  hangs: boolean;
  nodePortDelayMs: number;
  watch: WatchFaults;
}

const toStatusError = ({ code, reason, message, retryAfterSeconds }: FaultAnswer): StatusError =>
  failure(code, reason, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });

const apply = (plan: FaultPlan, effect: FaultEffect, random: () => number): FaultPlan => {
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
};

const NOTHING: FaultPlan = {
  delayMs: 0,
  answer: undefined,
  dropsBefore: false,
  dropsAfter: false,
  hangs: false,
  nodePortDelayMs: 0,
  watch: {},
};

/**
 * Puts effects together: delays add up, of answers the first counts.
 *
 * @param random - the next chance, 0 to 1, for delays that are a range
 */
export const faultPlan = (effects: readonly FaultEffect[], random: () => number): FaultPlan =>
  effects.reduce((plan, effect) => apply(plan, effect, random), NOTHING);
