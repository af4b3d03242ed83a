import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import * as z from 'zod';

/** What a CI server sends the agent to run: one line of JSON on a connection of its own. */
export const JobStep = z.strictObject({ run: z.array(z.string()).min(1) });
export type JobStep = z.infer<typeof JobStep>;

/** What the agent answers: lines of output, and the exit code last. */
export const JobMessage = z.union([z.strictObject({ output: z.string() }), z.strictObject({ exitCode: z.int() })]);
export type JobMessage = z.infer<typeof JobMessage>;

/** Where the agent listens. */
export interface JobServerOptions {
  host: string;
  port: number;
  log: (text: string) => void;
}

/** Listens for job steps and runs each as a process, telling its output as it comes. */
export async function startJobServer({ host, port, log }: JobServerOptions): Promise<void> {
  const server = createServer((socket) => {
    const tell = (message: JobMessage) => socket.write(`${JSON.stringify(message)}\n`);
    const end = (exitCode: number) => {
      tell({ exitCode });
      socket.end();
    };
    socket.on('error', (error) => log(`the CI server's connection broke: ${error.message}`));
    createInterface({ input: socket }).once('line', (line) => {
      const step = parseStep(line);
      if (step === undefined) return end(2);
      log(`runs ${step.run.join(' ')}`);
      const [command = '', ...args] = step.run;
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.on('data', (chunk: Buffer) => tell({ output: chunk.toString() }));
      child.stderr.on('data', (chunk: Buffer) => tell({ output: chunk.toString() }));
      child.once('error', (error) => tell({ output: `${error.message}\n` }));
      child.once('close', (exitCode) => end(exitCode ?? 127));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  log(`listens at ${host}:${port}`);
}

function parseStep(line: string): JobStep | undefined {
  try {
    return JobStep.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // not JSON: answered with exit code 2
  }
}
