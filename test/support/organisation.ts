import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { SeenJob } from '../../core/job/job-record.ts';
import type { GithubJob } from '../../local/github/github-state.ts';
import type { LocalGithub } from '../../local/github/start-github.ts';

/** A GitHub in which davit acts as an App. */
export const githubByApp = CiSystemConfig.parse({
  name: 'github',
  provider: 'github',
  webhookSecret: 'webhook-secret',
  app: { id: 1, privateKeySecret: 'key' },
});

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
