import type { RelaunchCode, TerminalCode } from './error-codes.ts';
import type { ErrorSubject } from './errors.ts';
import type { Graces } from './launch-state.ts';

/**
 * What a Pod's state means for its launch.
 *
 * - `terminal`: the launch fails now.
 * - `relaunch`: infrastructure took the Pod, which is nobody's fault.
 * - `grace`: as wait, but terminal once it has been so for that grace of the profile.
 * - `wait`: not a failure, whatever the phase says. With `signal`: worth telling the person who waits.
 */
export type PodVerdict =
  | { kind: 'terminal'; code: TerminalCode; says: string; about: ErrorSubject }
  | { kind: 'relaunch'; code: RelaunchCode; says: string; about: ErrorSubject }
  | { kind: 'grace'; grace: keyof Graces; code: TerminalCode; says: string; about: ErrorSubject }
  | { kind: 'wait'; signal?: string; says: string; about: ErrorSubject };
