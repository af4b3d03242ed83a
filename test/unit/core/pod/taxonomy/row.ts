import type { StepName, TaxonomyLaunch, TaxonomySetUp } from './taxonomy-launch.ts';

/** A report of Kubernetes, and its effect on a launch. */
export interface Row extends TaxonomySetUp {
  /** In Kubernetes' own words, if it has any. */
  signal: string;
  step: StepName;
  /** Makes the sandbox report it; all earlier steps are done. */
  given: (launch: TaxonomyLaunch) => Promise<void> | void;
  /** The result of a later attempt, after this time. */
  later?: { afterSeconds: number; code: string };
  /** The detail of the last error. */
  detail?: RegExp;
  /** The code of the signal in the launch's record. */
  notes?: string;
}
