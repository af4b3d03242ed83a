import type { RelaunchCode, TerminalCode } from '../errors/error-codes.ts';
import type { ErrorSubject } from '../errors/errors.ts';
import type { Graces } from './graces.ts';

/**
 * The meaning of a Pod's state for its launch.
 *
 * - `terminal`: the launch fails now.
 * - `relaunch`: infrastructure took the Pod; davit launches again.
 * - `grace`: wait, but fail once the trouble has lasted for that grace period of the profile.
 * - `wait`: no failure, whatever the phase is. With `signal`: worth reporting to the person who waits.
 */
export type PodVerdict =
  | { kind: 'terminal'; code: TerminalCode; detail: string; subject: ErrorSubject }
  | RelaunchVerdict
  | { kind: 'grace'; grace: keyof Graces; code: TerminalCode; detail: string; subject: ErrorSubject }
  | { kind: 'wait'; signal?: string; detail: string; subject: ErrorSubject };

/** Infrastructure took the Pod. */
export interface RelaunchVerdict {
  kind: 'relaunch';
  code: RelaunchCode;
  detail: string;
  subject: ErrorSubject;
}
