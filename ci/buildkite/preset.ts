import type { RunnerPreset } from '../../core/agent/connect-script.ts';
import { secretPipe } from '../../core/agent/secret-pipe.ts';

/**
 * Buildkite's agent, in Buildkite's own image. It reads its token from a pipe, as its configuration, so that no disk, no
 * environment and no command line has it. The token is for one job, and its agent ends with that job.
 *
 * The path of its sockets is short, because a socket's name has at most 108 characters.
 *
 * Code 27 says that another agent has the job, or that it is over: this agent is done.
 *
 * @see https://buildkite.com/docs/agent/self-hosted/security/job-acquisition-tokens
 */
export const buildkitePreset: RunnerPreset = {
  image: 'buildkite/agent:3',
  program: 'buildkite-agent',
  start: `${secretPipe('agent.cfg', String.raw`printf 'token="%s"\n' "$BUILDKITE_AGENT_TOKEN"`)}unset BUILDKITE_AGENT_TOKEN
sockets=$(mktemp -d /tmp/davit.XXXXXX)
BUILDKITE_SOCKETS_PATH=\${BUILDKITE_SOCKETS_PATH:-$sockets}
BUILDKITE_BUILD_PATH=\${BUILDKITE_BUILD_PATH:-\${HOME:-/tmp}/builds}
export BUILDKITE_AGENT_ENDPOINT BUILDKITE_AGENT_ACQUIRE_JOB BUILDKITE_AGENT_NAME BUILDKITE_AGENT_TAGS BUILDKITE_BUILD_PATH BUILDKITE_SOCKETS_PATH
buildkite-agent start --config "$pipe" &
agent=$!
trap 'kill -TERM "$agent"' TERM INT
while wait "$agent"; code=$?; kill -0 "$agent" 2>/dev/null; do :; done
kill "$writer" 2>/dev/null
[ -z "$sockets" ] || rm -rf "$sockets"
[ "$code" -ne 27 ] || exit 0
exit "$code"
`,
};
