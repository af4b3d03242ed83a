import type { ChildProcess } from 'node:child_process';

/** Keeps the end of what a process writes to its pipes, for an error message. @returns a function that returns it */
export function lastOutputOf({ stdout, stderr }: ChildProcess): () => string {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8000);
    });
  }
  return () => output;
}
