import type { Scenario } from '../scenario.ts';
import { cancelQueued, cancelRunning } from './cancels.ts';
import { lostWebhook } from './lost-webhook.ts';
import { podDeleted } from './pod-deleted.ts';
import { rerun } from './rerun.ts';
import { burst, matrix, single } from './run-jobs.ts';

/** Every scenario, in the order in which they run. */
export const allScenarios: readonly Scenario[] = [
  single,
  matrix,
  burst,
  cancelQueued,
  cancelRunning,
  rerun,
  podDeleted,
  lostWebhook,
];
