import type { CiScope, RepositoryName } from '../../core/ci/ci-scope.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import type { CiInspection } from '../../ports/ci-inspection.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { CiWebhooks } from '../../ports/ci-webhooks.ts';

/** A GitHub, and what a scale set needs of it besides. */
export interface Github extends CiSystem, CiInspection, CiWebhooks {
  /** Makes a token with which runners, and clients of the service for scale sets, introduce themselves. */
  registrationToken(scope: CiScope): Promise<string>;
  /** As the port has it. */
  jobsOfRun(repository: RepositoryName, runId: number): Promise<ReadJob[]>;
}
