import type { ObjectFinding } from './sweep-report.ts';
import type { LaunchReason } from './verdict.ts';

/** A namespace of a cluster. */
export interface ClusterNamespace {
  cluster: string;
  namespace: string;
}

/** An object that no live launch seems to need. */
export interface ObjectCandidate
  extends ClusterNamespace,
    Pick<ObjectFinding, 'kind' | 'name' | 'uid' | 'launchId' | 'reason'> {
  /** When it was created, for the order. */
  sinceEpochMs: number;
}

/** A launch that seems to need an action. */
export interface LaunchCandidate {
  kind: 'Launch';
  launchId: string;
  reason: LaunchReason;
  /** When the launch was requested, for the order. */
  sinceEpochMs: number;
}

/** Something that the sweep reads again, and acts on if it still looks the same. */
export type Candidate = ObjectCandidate | LaunchCandidate;
