import { agentImage, idleImage } from '../images/images.ts';

/** An agent's container that does nothing, and ends at once when it is told to. */
export const idle = { image: idleImage };

/** A container that runs a script of the shell. */
export const shell = (script: string) => ({ ...idle, command: ['/bin/sh', '-c', script] });

/** A container that sits there until it is told to end, and can do something before. */
export const idleAfter = (script: string) =>
  shell(`${script}; trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done`);

/**
 * An agent that sits there in its launch's first generation, and is the reference agent from the second one on.
 *
 * @param script what it does before it sits there
 */
export const untilRelaunched = (script = ':') => {
  const { command } = idleAfter(script);
  const relaunched = `case "$DAVIT_AGENT_NAME" in *-r[2-9]) exec ${process.execPath} /agent.mjs;; esac`;
  return { image: agentImage, command: ['/bin/sh', '-c', `${relaunched}; ${command.at(-1)}`] };
};
