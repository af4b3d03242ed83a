import type { RunnerPreset } from '../runner-preset.ts';

/** GitHub's runner, in GitHub's own image. @see https://github.com/actions/runner/pkgs/container/actions-runner */
export const githubPreset: RunnerPreset = { image: 'ghcr.io/actions/actions-runner:latest' };
