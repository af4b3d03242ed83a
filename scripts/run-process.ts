import { spawn } from 'node:child_process';

/** How a process ended, and its standard output and error in their order. */
export interface ProcessResult {
  /** Not 0 when a signal ended the process. */
  exitCode: number;
  output: string;
}

/**
 * Runs a program to its end, without a shell.
 *
 * @throws Error when it cannot be started
 */
export function runProcess(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string | undefined> },
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      const ended = signal === null ? '' : `ended by ${signal}\n`;
      resolve({ exitCode: exitCode ?? 1, output: `${Buffer.concat(chunks).toString()}${ended}` });
    });
  });
}

/** Runs a program that is to succeed. @returns its output @throws Error with the output when it fails */
export async function outputOf(...call: Parameters<typeof runProcess>): Promise<string> {
  const [program, args] = call;
  const { exitCode, output } = await runProcess(...call);
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${exitCode}:\n${output}`);
  return output;
}
