import type { RunnerPreset } from '../runner-preset.ts';

/**
 * GitHub's runner, in GitHub's own image. It also reads its arguments from variables, which it removes from the
 * environment of its jobs; a command line would show them to each job. GitHub refuses old runners, so the image is the
 * latest.
 *
 * @see https://github.com/actions/runner/blob/main/src/Runner.Listener/CommandSettings.cs
 */
export const githubPreset: RunnerPreset = {
  image: 'ghcr.io/actions/actions-runner:latest',
  start: `export ACTIONS_RUNNER_INPUT_JITCONFIG
exec ./run.sh
`,
};
