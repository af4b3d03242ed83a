import { BuildkiteConfig } from '../../ci/buildkite/config.ts';
import { ForgejoConfig } from '../../ci/forgejo/config.ts';
import { GiteaConfig } from '../../ci/gitea/config.ts';
import { GithubConfig } from '../../ci/github/config.ts';
import { GitlabConfig } from '../../ci/gitlab/config.ts';
import { JenkinsConfig } from '../../ci/jenkins/config.ts';
import { StandardConfig } from '../../ci/standard-webhooks/config.ts';
import * as z from '../zod.ts';

/** The CI systems that davit can act in: each has an adapter and a preset for its runners. */
export const RunnerProvider = z.enum(['github', 'gitea', 'jenkins', 'buildkite', 'forgejo', 'gitlab']);
export type RunnerProvider = z.infer<typeof RunnerProvider>;

/** The kinds of systems from which davit gets events of jobs. `standard` is any other system, by Standard Webhooks. */
export const CiProvider = z.enum([...RunnerProvider.options, 'standard']);
export type CiProvider = z.infer<typeof CiProvider>;

/**
 * A CI system in davit.yaml: it sends webhooks to davit, or davit polls it, and davit acts there with a credential. Without
 * a credential, davit only reads the webhooks.
 */
export const CiSystemConfig = z.discriminatedUnion(
  'provider',
  [GithubConfig, GiteaConfig, JenkinsConfig, BuildkiteConfig, ForgejoConfig, GitlabConfig, StandardConfig],
  { error: `expected one of ${CiProvider.options.join(', ')}` },
);
export type CiSystemConfig = z.infer<typeof CiSystemConfig>;
