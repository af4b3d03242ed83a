import { createSecrets, createSecretsManagerClient } from '../../adapters/aws/create-secrets.ts';
import { openCiSystems } from '../../ci/open-ci-systems.ts';
import { tracedCiSystem } from '../../logic/traces/traced-ci-system.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import { bundledConfig } from '../bundled-config.ts';
import { environment } from '../environment.ts';
import { ciRequestMs, type FunctionName } from '../function-settings.ts';
import { traceWrites } from '../trace-writes.ts';

/**
 * Composes the lookup of the CI systems by their names in davit.yaml.
 *
 * @param by the function that asks, for the trace
 * @returns as `openCiSystems`
 */
export function composeCiSystems(by: FunctionName): (name: string) => CiSystem {
  const installationId = environment('DAVIT_INSTALLATION_ID');
  const open = openCiSystems({
    systems: bundledConfig().ciSystems,
    secrets: createSecrets({ client: createSecretsManagerClient() }),
    readInstallationId: async () => installationId,
    timeoutMs: ciRequestMs,
  });
  return (name) => tracedCiSystem(open(name), { ciSystem: name, by }, traceWrites);
}
