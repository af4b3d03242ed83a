import type { CiSystemConfig } from '../core/ci/ci-system-config.ts';
import { TerminalError } from '../core/errors/errors.ts';
import type { CiInspection } from '../ports/ci-inspection.ts';
import type { CiSystem } from '../ports/ci-system.ts';
import type { CiWebhooks } from '../ports/ci-webhooks.ts';
import type { QueueRemoval } from '../ports/queue-removal.ts';
import { createBuildkite } from './buildkite/create-buildkite.ts';
import { type CiSecrets, tokenReaderOf } from './ci-credentials.ts';
import { createForgejo } from './forgejo/create-forgejo.ts';
import { createGitea } from './gitea/create-gitea.ts';
import { openGithub } from './github/open-github.ts';
import { createGitlab } from './gitlab/create-gitlab.ts';
import { createJenkins } from './jenkins/create-jenkins.ts';

/** A CI system in which davit acts. One that davit polls has no webhooks. One with a queue of messages can remove it. */
export type OpenCiSystem = CiSystem & CiInspection & Partial<CiWebhooks & QueueRemoval>;

/** How davit reaches its CI systems. */
export interface CiSystemSource {
  /** Every CI system of davit.yaml. */
  systems: readonly CiSystemConfig[];
  secrets: CiSecrets;
  /** Reads the id of this installation of davit, 8 of 0-9 and a-f. Called only by a system that needs it. */
  readInstallationId: () => Promise<string>;
  /** How long one request may take, in milliseconds. */
  timeoutMs: number;
}

/**
 * Makes the lookup of CI systems by their names in davit.yaml. Makes each system once, so that its cache (a GitHub App's
 * tokens) lasts for the life of the process. Reads a credential again after a 401.
 *
 * @returns a function that throws TerminalError CiRefused for a name that is not in davit.yaml, or has no credential
 *   there
 */
export function openCiSystems({ systems, ...source }: CiSystemSource): (name: string) => OpenCiSystem {
  const made = new Map<string, OpenCiSystem>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const config = systems.find((system) => system.name === name);
    if (config === undefined) throw new TerminalError('CiRefused', `davit.yaml has no CI system ${name}`);
    const system = makeSystem(config, source);
    made.set(name, system);
    return system;
  };
}

function makeSystem(config: CiSystemConfig, source: Omit<CiSystemSource, 'systems'>): OpenCiSystem {
  const { secrets, readInstallationId, timeoutMs } = source;
  switch (config.provider) {
    case 'github':
      return openGithub(config, secrets, timeoutMs);
    case 'gitea':
      return createGitea({ ...config, ...tokenReaderOf(config, secrets), timeoutMs });
    case 'gitlab':
      return createGitlab({ ...config, ...tokenReaderOf(config, secrets), timeoutMs });
    case 'jenkins':
      return createJenkins({ ...config, ...tokenReaderOf(config, secrets), timeoutMs });
    case 'buildkite':
      return createBuildkite({ ...config, ...tokenReaderOf(config, secrets), readInstallationId, timeoutMs });
    case 'forgejo':
      return createForgejo({ ...config, ...tokenReaderOf(config, secrets), timeoutMs });
    case 'standard':
      throw new TerminalError('CiRefused', `the CI system ${config.name} only sends webhooks: davit cannot act there`);
  }
}
