import type { Mutant } from './mutant.ts';
import { cleanUpMutants } from './of-clean-ups.ts';
import { connectionMutants } from './of-connections.ts';
import { holdMutants } from './of-holds.ts';
import { limitMutants } from './of-limits.ts';
import { listMutants } from './of-lists.ts';
import { mixedMutants } from './of-mixed-queues.ts';
import { moveMutants } from './of-moves.ts';
import { objectMutants } from './of-objects.ts';
import { polledMutants } from './of-polled.ts';
import { queueMutants } from './of-queues.ts';
import { recordMutants } from './of-records.ts';
import { requestMutants } from './of-requests.ts';
import { secretMutants } from './of-secrets.ts';
import { sizeMutants } from './of-sizes.ts';
import { standbyMutants } from './of-standby.ts';
import { stepMutants } from './of-steps.ts';
import { sweepMutants } from './of-sweeps.ts';
import { tokenMutants } from './of-tokens.ts';
import { waitMutants } from './of-waits.ts';
import { warmMutants } from './of-warm.ts';

/** Every davit that has one thing wrong. */
export const mutants: readonly Mutant[] = [
  ...stepMutants,
  ...tokenMutants,
  ...recordMutants,
  ...objectMutants,
  ...requestMutants,
  ...sweepMutants,
  ...secretMutants,
  ...cleanUpMutants,
  ...holdMutants,
  ...waitMutants,
  ...queueMutants,
  ...polledMutants,
  ...moveMutants,
  ...connectionMutants,
  ...limitMutants,
  ...sizeMutants,
  ...warmMutants,
  ...standbyMutants,
  ...listMutants,
  ...mixedMutants,
];
