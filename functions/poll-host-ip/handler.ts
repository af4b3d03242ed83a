import { composeClusters } from '../compose/clusters.ts';
import { composeLaunches } from '../compose/launches.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { PollHostIPInput, PollHostIPOutput, pollHostIP } from './poll-host-ip.ts';

const { openCluster } = composeClusters();
const deps = { openCluster, launches: composeLaunches(), nowEpochMs: Date.now };

/** The PollHostIP state's Lambda. */
export const handler = stepHandler({
  name: 'PollHostIP',
  Input: PollHostIPInput,
  Output: PollHostIPOutput,
  run: (input) => pollHostIP(deps, input),
});
