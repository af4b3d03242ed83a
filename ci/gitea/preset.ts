import type { RunnerPreset } from '../../core/agent/connect-script.ts';

/**
 * Gitea's runner, in Gitea's own image. It reads its registration, once, from `.runner` in its working directory: here a
 * pipe, so that no disk and no job sees the token. It would write the file again if its labels were in another form than
 * its own, `name:host`. Jobs run in the container itself, because the labels name no image of their own.
 *
 * @see https://docs.gitea.com/usage/actions/act-runner
 */
export const giteaPreset: RunnerPreset = {
  image: 'gitea/act_runner:latest',
  program: 'act_runner',
  start: `umask 077
directory=$(mktemp -d) && cd "$directory" && mkfifo .runner || exit 1
labels=$(printf '%s' "$GITEA_RUNNER_LABELS" | tr ',' '\n' |
  sed 's/[\\\\"]/\\\\&/g; /:/!s/$/:host/; s/.*/"&"/' | tr '\n' ',')
{
  printf '{"id":%s,"uuid":"%s","name":"%s","token":"%s","address":"%s","labels":[%s],"ephemeral":true}\\n' \\
    "$GITEA_RUNNER_ID" "$GITEA_RUNNER_UUID" "$GITEA_RUNNER_NAME" "$GITEA_RUNNER_TOKEN" "$GITEA_INSTANCE_URL" \\
    "\${labels%,}" >.runner
  rm .runner
} &
umask 022
exec act_runner daemon
`,
};
