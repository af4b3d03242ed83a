import { composeClusters } from '../compose/clusters.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { PollNodePortInput, PollNodePortOutput, pollNodePort } from './poll-node-port.ts';

const { openCluster } = composeClusters();
const deps = { openCluster, nowEpochMs: Date.now };

/** The PollNodePort state's Lambda. */
export const handler = stepHandler({
  name: 'PollNodePort',
  Input: PollNodePortInput,
  Output: PollNodePortOutput,
  run: (input) => pollNodePort(deps, input),
});
