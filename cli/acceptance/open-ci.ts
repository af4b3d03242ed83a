import { type CiSecrets, tokenReaderOf } from '../../ci/ci-credentials.ts';
import { githubAccess } from '../../ci/github/open-github.ts';
import type { RepositoryName } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { CliError } from '../cli-error.ts';
import type { AcceptanceBranch, AcceptanceCi } from './acceptance-ci.ts';
import { giteaCi } from './gitea-ci.ts';
import { githubCi } from './github-ci.ts';
import { type JenkinsPlace, jenkinsCi } from './jenkins-ci.ts';

/** The CI systems in which the acceptance can start jobs. */
export type AcceptanceSystem = Extract<CiSystemConfig, { provider: 'github' | 'gitea' | 'jenkins' }>;

/** Narrows a CI system to one that the acceptance can use. @throws CliError `ci-system-unsupported` */
export function acceptanceSystem(system: CiSystemConfig): AcceptanceSystem {
  const { provider } = system;
  if (provider === 'github' || provider === 'gitea' || provider === 'jenkins') return system;
  const message = `${system.name} is a ${system.provider}: davit acceptance runs on GitHub, Gitea and Jenkins`;
  throw new CliError('usage', 'ci-system-unsupported', message);
}

/** The caller's own credential. */
export interface OwnToken {
  /** The secret that has the token. */
  tokenSecret: string;
  /** Jenkins' user to whom it belongs. @default davit's */
  user?: string;
}

/** Has a CI system authorize by a token of the caller's: a GitHub App of davit's may not read code. */
export function withToken(system: AcceptanceSystem, { tokenSecret, user }: OwnToken): AcceptanceSystem {
  if (system.provider === 'gitea') return { ...system, tokenSecret };
  if (system.provider === 'jenkins') return { ...system, tokenSecret, ...(user === undefined ? {} : { user }) };
  const { app: _app, ...others } = system;
  return { ...others, tokenSecret };
}

/** The place of an acceptance: a branch of a repository, or in Jenkins the jobs with a prefix. */
export type AcceptancePlace = AcceptanceBranch | JenkinsPlace;

/**
 * Says where the acceptance is to be.
 *
 * @param name its own
 * @throws CliError `option-missing`, `option-unknown` when the options are those of another kind of CI system
 */
export function placeIn(
  { provider, name: system }: Pick<AcceptanceSystem, 'provider' | 'name'>,
  { repository, folder }: { repository?: RepositoryName; folder?: string },
  name: string,
): AcceptancePlace {
  if (provider === 'jenkins') {
    if (repository === undefined) return { prefix: name, ...(folder === undefined ? {} : { folder }) };
    const advice = 'The jobs are made at the top, or in a folder that is there: --folder PATH.';
    throw new CliError('usage', 'option-unknown', `${system} is a Jenkins, and has no repositories`, advice);
  }
  if (folder !== undefined)
    throw new CliError('usage', 'option-unknown', `--folder is for a Jenkins: ${system} is a ${provider}`);
  if (repository !== undefined) return { repository, branch: name };
  throw new CliError('usage', 'option-missing', `--repository is required: ${system} is a ${provider}`);
}

/** Opens a CI system. @throws TerminalError CiRefused when davit.yaml names no credential */
export function openAcceptanceCi(
  system: AcceptanceSystem,
  place: AcceptancePlace,
  secrets: CiSecrets,
  timeoutMs: number,
): AcceptanceCi {
  const { name, url } = system;
  if (system.provider === 'jenkins' && 'prefix' in place) {
    const { user, pollSeconds } = system;
    return jenkinsCi({ name, url, user, pollSeconds, ...tokenReaderOf(system, secrets), timeoutMs }, place);
  }
  if (!('branch' in place) || system.provider === 'jenkins')
    throw new TypeError('a place of another kind of CI system');
  if (system.provider === 'github') return githubCi(githubAccess(system, secrets, timeoutMs), place);
  const { readToken } = tokenReaderOf(system, secrets);
  return giteaCi({ name, url, readToken, timeoutMs }, place);
}
