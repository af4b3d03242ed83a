import type { ObjectFinding } from './sweep-report.ts';
import type { LaunchReason } from './verdict.ts';

/** A namespace of a cluster. */
export interface Place {
  cluster: string;
  namespace: string;
}

/** An object that looked as if nobody needed it. */
export interface ObjectCandidate extends Place, Pick<ObjectFinding, 'kind' | 'name' | 'uid' | 'launchId' | 'reason'> {
  /** When it was created, for the order. */
  sinceEpochMs: number;
}

/** A launch that looked as if something had to be done about it. */
export interface LaunchCandidate {
  kind: 'Launch';
  launchId: string;
  reason: LaunchReason;
  /** When it was asked for, for the order. */
  sinceEpochMs: number;
}

/** Something to read again, and to deal with if it is still as it looked. */
export type Candidate = ObjectCandidate | LaunchCandidate;
