import type { RunnerPreset } from '../runner-preset.ts';

/**
 * Gitea's runner, in Gitea's own image. It reads its registration from a file: `.runner` in its working directory. Jobs run
 * in the container itself, because the labels name no image of their own.
 *
 * @see https://docs.gitea.com/usage/actions/act-runner
 */
export const giteaPreset: RunnerPreset = {
  image: 'gitea/act_runner:latest',
  start: `umask 077
directory=$(mktemp -d) && cd "$directory" || exit 1
labels=$(printf '%s' "$GITEA_RUNNER_LABELS" | sed 's/[\\\\"]/\\\\&/g; s/,/","/g')
printf '{"id":%s,"uuid":"%s","name":"%s","token":"%s","address":"%s","labels":["%s"],"ephemeral":true}\\n' \\
  "$GITEA_RUNNER_ID" "$GITEA_RUNNER_UUID" "$GITEA_RUNNER_NAME" "$GITEA_RUNNER_TOKEN" "$GITEA_INSTANCE_URL" "$labels" >.runner
umask 022
exec act_runner daemon
`,
};
