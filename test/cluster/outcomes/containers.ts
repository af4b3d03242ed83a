import { idleImage } from '../images/images.ts';

/** An agent's container that does nothing, and ends at once when it is told to. */
export const idle = { image: idleImage };

/** A container that runs a script of the shell. */
export const shell = (script: string) => ({ ...idle, command: ['/bin/sh', '-c', script] });

/** A container that sits there until it is told to end, and can do something before. */
export const idleAfter = (script: string) =>
  shell(`${script}; trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done`);
