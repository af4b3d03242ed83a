import {
  makeSimulatedCluster,
  makeSimulatedClusterStates,
  makeSimulatedJobs,
  makeSimulatedLaunches,
  makeSimulatedTokens,
} from '../support/simulated-adapters.ts';
import { describeCluster } from './cluster.contract.ts';
import { describeClusterStates } from './cluster-states.contract.ts';
import { describeJobs } from './jobs.contract.ts';
import { describeLaunches } from './launches.contract.ts';
import { describeObjectList, listedNamespace } from './object-list.contract.ts';
import { describeRegistrations } from './registrations.contract.ts';
import { describeTokens } from './tokens.contract.ts';

const namespace = 'davit-agents';

describeLaunches('simulated', async () => makeSimulatedLaunches());
describeRegistrations('simulated', async () => makeSimulatedLaunches());
describeJobs('simulated', async () => makeSimulatedJobs());
describeClusterStates('simulated', async () => makeSimulatedClusterStates());
describeTokens('simulated', async () => makeSimulatedTokens());
describeCluster('simulated', async () => ({
  cluster: makeSimulatedCluster(namespace),
  namespace,
  image: 'registry.example/agent:1',
}));
describeObjectList('simulated', async () => makeSimulatedCluster(listedNamespace));
