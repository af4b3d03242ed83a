import type { RunnerPreset } from '../../core/agent/connect-script.ts';
import { secretPipe } from '../../core/agent/secret-pipe.ts';

/**
 * Forgejo's runner, in Forgejo's own image, version 12.8 or newer. It reads its token, once, from a pipe, so that no disk,
 * no environment and no command line has it. It takes the job of its handle and no other, and ends with it. Jobs run in the
 * container itself, because the labels name no image of their own.
 *
 * @see https://forgejo.org/docs/latest/admin/actions/registration/
 */
export const forgejoPreset: RunnerPreset = {
  image: 'code.forgejo.org/forgejo/runner:12',
  program: 'forgejo-runner',
  start: `${secretPipe('token', `printf '%s' "$FORGEJO_RUNNER_TOKEN"`)}unset FORGEJO_RUNNER_TOKEN
set -f
IFS=,
set --
for label in $FORGEJO_RUNNER_LABELS; do set -- "$@" --label "$label:host"; done
unset IFS
exec forgejo-runner one-job --wait --url "$FORGEJO_URL" --uuid "$FORGEJO_RUNNER_UUID" \\
  --token-url "file:$pipe" --handle "$FORGEJO_JOB_HANDLE" "$@"
`,
};
