import type { HostAddress } from '../../../../../core/launch/launch-state.ts';
import type { TaxonomyLaunch } from './taxonomy-launch.ts';

/** The steps to which a cluster can report something. */
export type StepName = 'CreateService' | 'PollNodePort' | 'CreatePod' | 'PollHostIP' | 'AwaitAgent';

/** A report of Kubernetes, and its effect on a launch. */
export interface Row {
  /** In Kubernetes' own words, if it has any. */
  signal: string;
  step: StepName;
  /** Changes to the spec of the launch's Pod. */
  spec?: object;
  /** The kind of the node's address for the agent. */
  hostAddress?: HostAddress;
  /** Makes the sandbox report it; all earlier steps are done. */
  given: (launch: TaxonomyLaunch) => Promise<void> | void;
  /** The result of the step's first attempt: an error code, or done. */
  first: string;
  /** The result of a later attempt, after this time. */
  later?: { afterSeconds: number; code: string };
  /** The detail of the last error. */
  detail?: RegExp;
  /** The code of the signal in the launch's record. */
  notes?: string;
}
