import { randomUUID } from 'node:crypto';
import type { AwsSettings } from '../../adapters/aws/client-settings.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { bundledConfig } from '../bundled-config.ts';
import { environment } from '../environment.ts';
import { composeLaunchDependencies } from './launch-dependencies.ts';
import { composeCiClocks, composeClusterStates, composeJobs, composeRegistrations, composeSlots } from './tables.ts';

/** Composes what the handling of jobs' events depends on, but its invocations. @param settings as for launches */
export function composeJobDependencies(client: DynamoClient, settings?: AwsSettings) {
  const { profiles, ciSystems, limits } = bundledConfig();
  return {
    ...composeLaunchDependencies(client, settings),
    clusterStates: composeClusterStates(client),
    profiles,
    ciSystems,
    agentLimits: limits,
    jobs: composeJobs(client),
    ciClocks: composeCiClocks(client),
    slots: composeSlots(client),
    newNonce: randomUUID,
    registrations: composeRegistrations(client),
    installationId: environment('DAVIT_INSTALLATION_ID'),
  };
}
