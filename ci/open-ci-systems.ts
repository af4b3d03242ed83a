import type { CiSystemConfig, GithubConfig } from '../core/ci/ci-system-config.ts';
import { TerminalError } from '../core/errors/errors.ts';
import type { CiInspection } from '../ports/ci-inspection.ts';
import type { CiSystem } from '../ports/ci-system.ts';
import type { Secrets } from '../ports/secrets.ts';
import { createGitea } from './gitea/create-gitea.ts';
import { createGithub } from './github/create-github.ts';
import { byApp, byToken } from './github/github-authorization.ts';
import { githubApiUrl } from './github/github-url.ts';
import { createJenkins } from './jenkins/create-jenkins.ts';

/** How davit reaches its CI systems. */
export interface CiSystemSource {
  /** Every CI system of davit.yaml. */
  systems: readonly CiSystemConfig[];
  /** Reads their credentials, and keeps them for a while. */
  secrets: Pick<Secrets, 'read' | 'refresh'>;
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
export function openCiSystems({
  systems,
  secrets,
  timeoutMs,
}: CiSystemSource): (name: string) => CiSystem & CiInspection {
  const made = new Map<string, CiSystem & CiInspection>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const config = systems.find((system) => system.name === name);
    if (config === undefined) throw new TerminalError('CiRefused', `davit.yaml has no CI system ${name}`);
    const system = makeSystem(config, secrets, timeoutMs);
    made.set(name, system);
    return system;
  };
}

function makeSystem(
  config: CiSystemConfig,
  secrets: CiSystemSource['secrets'],
  timeoutMs: number,
): CiSystem & CiInspection {
  const { name } = config;
  switch (config.provider) {
    case 'github': {
      const apiUrl = githubApiUrl(config);
      return createGithub({ name, apiUrl, ...githubAuthorization(config, apiUrl, secrets, timeoutMs), timeoutMs });
    }
    case 'gitea':
      return createGitea({ name, url: config.url, ...credential(config, secrets), timeoutMs });
    case 'jenkins':
      return createJenkins({ name, url: config.url, user: config.user, ...credential(config, secrets), timeoutMs });
    case 'standard':
      throw new TerminalError('CiRefused', `the CI system ${name} only sends webhooks: davit cannot act there`);
  }
}

function githubAuthorization(
  config: GithubConfig,
  apiUrl: string,
  secrets: CiSystemSource['secrets'],
  timeoutMs: number,
) {
  const { app } = config;
  if (app === undefined) {
    const { readToken, renew } = credential(config, secrets);
    return byToken(readToken, renew);
  }
  const readPrivateKey = () => secrets.read(app.privateKeySecret);
  const renewPrivateKey = async () => void (await secrets.refresh(app.privateKeySecret));
  return byApp({ appId: app.id, readPrivateKey, renewPrivateKey }, apiUrl, timeoutMs);
}

function credential(
  { name, tokenSecret }: Pick<GithubConfig, 'name' | 'tokenSecret'>,
  secrets: CiSystemSource['secrets'],
) {
  if (tokenSecret === undefined) {
    throw new TerminalError('CiRefused', `davit.yaml gives no credential for the CI system ${name}`);
  }
  return {
    readToken: () => secrets.read(tokenSecret),
    renew: async () => void (await secrets.refresh(tokenSecret)),
  };
}
