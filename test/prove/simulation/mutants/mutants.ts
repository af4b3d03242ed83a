import { named } from '../../../support/named.ts';
import type { Mutant } from './mutant.ts';
import { cleanUpMutants } from './of-clean-ups.ts';
import { connectionMutants } from './of-connections.ts';
import { limitMutants } from './of-limits.ts';
import { objectMutants } from './of-objects.ts';
import { polledMutants } from './of-polled.ts';
import { queueMutants } from './of-queues.ts';
import { recordMutants } from './of-records.ts';
import { requestMutants } from './of-requests.ts';
import { secretMutants } from './of-secrets.ts';
import { sizeMutants } from './of-sizes.ts';
import { stepMutants } from './of-steps.ts';
import { sweepMutants } from './of-sweeps.ts';
import { warmMutants } from './of-warm.ts';

/** Every davit that has one thing wrong. */
export const mutants: readonly Mutant[] = [
  stepMutants,
  recordMutants,
  objectMutants,
  requestMutants,
  sweepMutants,
  secretMutants,
  cleanUpMutants,
  queueMutants,
  polledMutants,
  connectionMutants,
  limitMutants,
  sizeMutants,
  warmMutants,
].flatMap((table) => named(table));
