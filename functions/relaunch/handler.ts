import { composeClusters } from '../compose/clusters.ts';
import { composeLaunches } from '../compose/launches.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { RelaunchInput, RelaunchOutput, relaunch } from './relaunch.ts';

const { openCluster } = composeClusters();
const deps = { openCluster, launches: composeLaunches(), nowEpochMs: Date.now };

/** The Relaunch state's Lambda. */
export const handler = stepHandler({
  name: 'Relaunch',
  Input: RelaunchInput,
  Output: RelaunchOutput,
  run: (input) => relaunch(deps, input),
});
