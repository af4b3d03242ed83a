import type { RunnerPreset } from '../../core/agent/connect-script.ts';
import { secretPipe } from '../../core/agent/secret-pipe.ts';

/** The runner's configuration, with its token. */
const writeConfig = `printf '[[runners]]\\nname = "davit"\\nurl = "%s"\\ntoken = "%s"\\nexecutor = "shell"\\nbuilds_dir = "%s"\\ncache_dir = "%s"\\n' \\
    "$GITLAB_URL" "$GITLAB_RUNNER_TOKEN" "\${GITLAB_BUILDS_DIR:-\${home%/}/builds}" "\${GITLAB_CACHE_DIR:-\${home%/}/cache}"`;

/**
 * GitLab's runner, version 17.1 or newer, in GitLab's own image. It reads its token from a pipe, as its configuration, so
 * that no disk, no environment and no command line has it. It runs one job, in the container itself.
 *
 * Kubernetes ends a container by SIGTERM, by which the runner aborts its job. So the shell passes SIGQUIT on, which lets
 * the job finish. After `GITLAB_FINISH_SECONDS`, which must be less than the Pod's grace period, it aborts the job, which
 * tells GitLab that it failed. A shell starts what it does not wait for with SIGQUIT ignored, which a program in Go that asks
 * for SIGQUIT gets even so.
 *
 * A runner that GitLab has deleted waits for ever, and so does one that gets no job while davit is away: `--wait-timeout`
 * ends the second.
 *
 * @see https://gitlab.com/gitlab-org/gitlab-runner/-/blob/main/commands/single.go
 */
export const gitlabPreset: RunnerPreset = {
  image: 'gitlab/gitlab-runner:latest',
  program: 'gitlab-runner',
  start: `home=\${HOME:-/tmp}
${secretPipe('config.toml', writeConfig)}unset GITLAB_RUNNER_TOKEN
gitlab-runner run-single --config "$pipe" --runner davit --max-builds 1 \\
  --wait-timeout "\${GITLAB_WAIT_SECONDS:-3600}" &
runner=$!
trap 'kill -QUIT "$runner"; { sleep "\${GITLAB_FINISH_SECONDS:-20}"; kill -TERM "$runner"; } 2>/dev/null & later=$!' TERM INT
while wait "$runner"; code=$?; kill -0 "$runner" 2>/dev/null; do :; done
kill "$writer" \${later:-} 2>/dev/null
exit "$code"
`,
};
