import type { RunnerPreset } from '../../core/agent/connect-script.ts';

/**
 * GitHub's runner, in GitHub's own image. GitHub refuses old runners, so the image is the latest.
 *
 * The registration is one base64 text: a JSON object of the runner's files. The runner takes it as an argument or a
 * variable, which each job could then read in `/proc`, and only writes the files. So this writes them itself. The runner
 * keeps its own credentials there for its whole life: it reads them again for each new token.
 *
 * @see https://github.com/actions/runner/blob/main/src/Runner.Listener/Runner.cs
 */
export const githubPreset: RunnerPreset = {
  image: 'ghcr.io/actions/actions-runner:latest',
  start: `umask 077
printf '%s' "$ACTIONS_RUNNER_INPUT_JITCONFIG" | base64 -d | tr -d ' \\n\\r\\t' | tr '{,}' '\\n\\n\\n' |
  sed 's/\\\\u002[bB]/+/g; s/\\\\u003[dD]/=/g; s/\\\\u002[fF]/\\//g; s/\\\\\\//\\//g' |
  while IFS='"' read -r before name between content after; do
    case $name in .[a-z]*) printf '%s' "$content" | base64 -d >"$name" ;; esac
  done
unset ACTIONS_RUNNER_INPUT_JITCONFIG
if ! [ -s .runner ]; then
  echo "davit: GitHub's answer is no runner's configuration" >&2
  exit 1
fi
umask 022
exec ./run.sh
`,
};
