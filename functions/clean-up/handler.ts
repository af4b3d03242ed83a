import { composeClusters } from '../compose/clusters.ts';
import { composeLaunches } from '../compose/launches.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { CleanUpInput, CleanUpOutput, cleanUp } from './clean-up.ts';

const { openCluster } = composeClusters();
const deps = { openCluster, launches: composeLaunches(), nowEpochMs: Date.now };

/** The CleanUp state's Lambda. */
export const handler = stepHandler({
  name: 'CleanUp',
  Input: CleanUpInput,
  Output: CleanUpOutput,
  run: (input) => cleanUp(deps, input),
});
