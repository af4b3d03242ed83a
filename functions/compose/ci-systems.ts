import { createSecrets, createSecretsManagerClient } from '../adapters/aws/create-secrets.ts';
import { openCiSystems } from '../adapters/ci/open-ci-systems.ts';
import { bundledConfig } from '../bundled-config.ts';
import { ciRequestMs } from '../manifest.ts';
import type { CiSystem } from '../ports/ci-system.ts';

/** Composes the lookup of the CI systems by their names in davit.yaml. @returns as `openCiSystems` */
export function composeCiSystems(): (name: string) => CiSystem {
  return openCiSystems({
    systems: bundledConfig().ciSystems,
    secrets: createSecrets({ client: createSecretsManagerClient() }),
    timeoutMs: ciRequestMs,
  });
}
