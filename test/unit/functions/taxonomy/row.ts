import type { HostAddress } from '../../../../functions/domain/launch-state.ts';
import type { TaxonomyLaunch } from './taxonomy-launch.ts';

/** The steps that a cluster can say something to. */
export type StepName = 'CreateService' | 'PollNodePort' | 'CreatePod' | 'PollHostIP' | 'AwaitAgent';

/** One thing that Kubernetes can say, and what a launch makes of it. */
export interface Row {
  /** In Kubernetes' words, where it has any. */
  signal: string;
  step: StepName;
  /** What is different in the spec of the launch's Pod. */
  spec?: object;
  /** At which address of its node the agent is to be dialled. */
  hostAddress?: HostAddress;
  /** Has the sandbox say it; everything before the step is done. */
  given: (launch: TaxonomyLaunch) => Promise<void> | void;
  /** What the first attempt of the step comes to: an error code, or done. */
  first: string;
  /** What an attempt comes to that is made so much later. */
  later?: { afterSeconds: number; code: string };
  /** What the last error says. */
  detail?: RegExp;
  /** The code of the signal that the launch's record shows to whoever waits. */
  notes?: string;
}
