import { type CiSecrets, tokenReaderOf } from '../../ci/ci-credentials.ts';
import { githubAccess } from '../../ci/github/open-github.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { CliError } from '../cli-error.ts';
import type { AcceptanceCi, AcceptancePlace } from './acceptance-ci.ts';
import { giteaCi } from './gitea-ci.ts';
import { githubCi } from './github-ci.ts';

/** The CI systems that keep workflows as files of a repository, and run them by their API. */
export type WorkflowSystem = Extract<CiSystemConfig, { provider: 'github' | 'gitea' }>;

/** Narrows a CI system to one that the acceptance can use. @throws CliError `ci-system-unsupported` */
export function workflowSystem(system: CiSystemConfig): WorkflowSystem {
  if (system.provider === 'github' || system.provider === 'gitea') return system;
  const message = `${system.name} is a ${system.provider}: davit acceptance runs on GitHub and Gitea so far`;
  throw new CliError('usage', 'ci-system-unsupported', message);
}

/** Has a CI system authorize by a token in this secret: a GitHub App of davit's may not read code. */
export function withToken(system: WorkflowSystem, tokenSecret: string): WorkflowSystem {
  if (system.provider === 'gitea') return { ...system, tokenSecret };
  const { app: _app, ...others } = system;
  return { ...others, tokenSecret };
}

/** Opens a CI system. @throws TerminalError CiRefused when davit.yaml names no credential */
export function openAcceptanceCi(
  system: WorkflowSystem,
  place: AcceptancePlace,
  secrets: CiSecrets,
  timeoutMs: number,
): AcceptanceCi {
  if (system.provider === 'github') return githubCi(githubAccess(system, secrets, timeoutMs), place);
  const { readToken } = tokenReaderOf(system, secrets);
  return giteaCi({ name: system.name, url: system.url, readToken, timeoutMs }, place);
}
