import type { RunnerPreset } from '../runner-preset.ts';

/** Gitea's runner, in Gitea's own image. @see https://docs.gitea.com/usage/actions/act-runner */
export const giteaPreset: RunnerPreset = { image: 'gitea/act_runner:latest' };
