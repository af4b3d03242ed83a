import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { isSameSecret } from '../../runtime/signing/is-same-secret.ts';

/** A step for the agent: one line of JSON on its own connection, with the agent's job key. */
export const JobStep = z.strictObject({ jobKey: z.string(), run: z.array(z.string()).min(1) });
export type JobStep = z.infer<typeof JobStep>;

/** An answer of the agent: output, or the exit code as the last message. */
export const JobMessage = z.union([z.strictObject({ output: z.string() }), z.strictObject({ exitCode: z.int() })]);
export type JobMessage = z.infer<typeof JobMessage>;

/** The settings of the job server. */
export interface JobServerOptions {
  host: string;
  port: number;
  /** The key that every step must carry, because every user who can reach the port could send a step. */
  jobKey: string;
  log: (text: string) => void;
}

/** A listening agent. */
export interface JobServer {
  /** Accepts no more steps. Resolves when the last step has ended. */
  stop(): Promise<void>;
}

/** Listens for job steps. Runs each step with the job key as a process, and sends its output as it appears. */
export async function startJobServer({ host, port, jobKey, log }: JobServerOptions): Promise<JobServer> {
  const server = createServer((socket) => {
    const send = (message: JobMessage) => socket.write(`${JSON.stringify(message)}\n`);
    const end = (exitCode: number) => {
      send({ exitCode });
      socket.end();
    };
    socket.on('error', (error) => log(`the CI server's connection broke: ${error.message}`));
    createInterface({ input: socket }).once('line', (line) => {
      const step = parseStep(line);
      if (step === undefined) return end(2);
      if (!isSameSecret(step.jobKey, jobKey)) {
        log('refuses a step that has another job key');
        send({ output: "the job key is not this agent's\n" });
        return end(2);
      }
      log(`runs ${step.run.join(' ')}`);
      const [command = '', ...args] = step.run;
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.on('data', (chunk: Buffer) => send({ output: chunk.toString() }));
      child.stderr.on('data', (chunk: Buffer) => send({ output: chunk.toString() }));
      child.once('error', (error) => send({ output: `${error.message}\n` }));
      child.once('close', (exitCode) => end(exitCode ?? 127));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  log(`listens at ${host}:${port}`);
  return { stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

function parseStep(line: string): JobStep | undefined {
  try {
    return JobStep.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // not JSON: answered with exit code 2
  }
}
