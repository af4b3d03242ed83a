import { generateKeyPairSync } from 'node:crypto';
import { createGithub } from '../../ci/github/create-github.ts';
import { byApp } from '../../ci/github/github-authorization.ts';
import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { SeenJob } from '../../core/job/job-record.ts';
import type { GithubJob } from '../../local/github/github-state.ts';
import type { LocalGithub } from '../../local/github/start-github.ts';
import type { CiSystem } from '../../ports/ci-system.ts';

/** A GitHub in which davit acts as an App. */
export const githubByApp = CiSystemConfig.parse({
  name: 'github',
  provider: 'github',
  webhookSecret: 'webhook-secret',
  app: { id: 1, privateKeySecret: 'key' },
});

/** Opens a GitHub as that App. */
export function openGithubApp(apiUrl: string): CiSystem {
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });
  const app = byApp({ appId: 1, readPrivateKey: async () => pem.toString() }, apiUrl, 60_000);
  return createGithub({ name: githubByApp.name, apiUrl, ...app, timeoutMs: 10_000 });
}

/** A job of the local GitHub's organization, as an event of it describes the job; `given` adds fields. */
export function seenGithubJob(
  state: Pick<LocalGithub['state'], 'repositoryIdOf'>,
  { id, owner, repository, name, labels }: GithubJob,
  given: Pick<SeenJob, 'status'> & Partial<SeenJob>,
): SeenJob {
  return {
    ciSystem: githubByApp.name,
    repositoryId: state.repositoryIdOf(owner, repository),
    jobId: id,
    attempt: 1,
    repository: { owner, name: repository },
    organization: owner,
    name,
    labels: [...labels],
    ...given,
  };
}
