import { createLambdaClient, invokeLater, type LambdaFunction } from '../../adapters/aws/invoke-later.ts';
import {
  admissionsBy,
  cleanUpsBy,
  commitReportsBy,
  type Invoke,
  pollsBy,
  probesBy,
  refusalsBy,
  retirementsBy,
} from '../../logic/requests.ts';
import type {
  Admissions,
  CleanUps,
  CommitReports,
  Polls,
  Probes,
  Refusals,
  Retirements,
} from '../../ports/requests.ts';
import { invokedFunction } from '../environment.ts';

/** Composes the requests for clean-ups, from the environment. */
export function composeCleanUps(client = createLambdaClient()): CleanUps {
  return cleanUpsBy(invoking(client, invokedFunction('clean-up')));
}

/** Composes the requests for admissions, from the environment. */
export function composeAdmissions(client = createLambdaClient()): Admissions {
  return admissionsBy(invoking(client, invokedFunction('admit')));
}

/** Composes the requests for retirements, from the environment. */
export function composeRetirements(client = createLambdaClient()): Retirements {
  return retirementsBy(invoking(client, invokedFunction('retire-runner')));
}

/** Composes the requests for reports on commits, from the environment. */
export function composeCommitReports(client = createLambdaClient()): CommitReports {
  return commitReportsBy(invoking(client, invokedFunction('report-to-ci')));
}

/** Composes the requests for events of refused jobs, from the environment. */
export function composeRefusals(client = createLambdaClient()): Refusals {
  return refusalsBy(invoking(client, invokedFunction('publish-events')));
}

/** Composes the requests for polls, from the environment. */
export function composePolls(client = createLambdaClient()): Polls {
  return pollsBy(invoking(client, invokedFunction('poll-ci')));
}

/** Composes the requests for probes, from the environment. */
export function composeProbes(client = createLambdaClient()): Probes {
  return probesBy(invoking(client, invokedFunction('probe')));
}

function invoking(client: LambdaFunction['client'], functionName: string): Invoke {
  return (event) => invokeLater({ client, functionName }, event);
}
