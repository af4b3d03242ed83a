import { poolKeyOf } from '../agent/pool.ts';
import { isStandingBy, type LaunchRecord } from './launch-record.ts';

/** Finds the pool in which a launch's agent stands by, by its key. @returns undefined for an agent that does not */
export function standbyPoolOf(
  record: Pick<LaunchRecord, 'status' | 'plan' | 'standby' | 'retiring'>,
): string | undefined {
  const join = record.plan?.join;
  return join !== undefined && isStandingBy(record) ? poolKeyOf(join) : undefined;
}
