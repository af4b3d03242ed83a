import { createSecrets, createSecretsManagerClient } from '../../adapters/aws/create-secrets.ts';
import { openCiSystems } from '../../ci/open-ci-systems.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import { bundledConfig } from '../bundled-config.ts';
import { ciRequestMs } from '../function-settings.ts';

/** Composes the lookup of the CI systems by their names in davit.yaml. @returns as `openCiSystems` */
export function composeCiSystems(): (name: string) => CiSystem {
  return openCiSystems({
    systems: bundledConfig().ciSystems,
    secrets: createSecrets({ client: createSecretsManagerClient() }),
    timeoutMs: ciRequestMs,
  });
}
