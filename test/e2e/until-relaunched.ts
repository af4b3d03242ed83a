import { beAgent } from './start-anywhere.ts';

const script = `
  case "$DAVIT_AGENT_NAME" in *-r[2-9]) exec "$0" "$@";; esac
  trap 'exit 0' TERM
  while :; do sleep 1; done
`;

/** An agent's container that idles in its launch's first generation, and is the reference agent from the second one on. */
export const untilRelaunched = { command: ['/bin/sh', '-c', script, ...beAgent] };
