import { agentImage, idleImage } from '../images/images.ts';

/** An agent's container that does nothing, and ends at once on SIGTERM. */
export const idle = { image: idleImage };

/** A container that runs a shell script. */
export const shell = (script: string) => ({ ...idle, command: ['/bin/sh', '-c', script] });

/** A container that runs a script and then waits for SIGTERM. */
export const idleAfter = (script: string) =>
  shell(`${script}; trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done`);

/**
 * An agent that only waits in its launch's first generation, and is the reference agent from the second one on.
 *
 * @param script runs before it waits
 */
export const untilRelaunched = (script = ':') => {
  const { command } = idleAfter(script);
  const relaunched = `case "$DAVIT_AGENT_NAME" in *-r[2-9]) exec ${process.execPath} /agent.mjs;; esac`;
  return { image: agentImage, command: ['/bin/sh', '-c', `${relaunched}; ${command.at(-1)}`] };
};
