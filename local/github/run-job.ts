import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { runnerUrlIn } from './jit-config.ts';

/** The result of a runner: the job that it ran, or why it has none. */
export type JobEnd = { task: string; succeeded: boolean } | { refused: string };

/** How long a GitHub may be away. */
const patienceMs = 60_000;
const Given = z.object({ steps: z.array(z.string()).nullable() });

/**
 * Runs one job of the local GitHub with a JIT configuration, as GitHub's own runner does: it waits for a job, runs the
 * steps in a shell, reports their result, and ends. It asks again while GitHub
 * cannot be reached, for a minute at most.
 *
 * @param pauseMs between two requests for a job
 */
export async function runOneJob(encodedJitConfig: string, pauseMs: number): Promise<JobEnd> {
  const url = runnerUrlIn(encodedJitConfig);
  for (;;) {
    const response = await post(`${url}/job`, pauseMs);
    if (response.status === 401) return { refused: await response.text() };
    const { steps } = Given.parse(await response.json());
    if (steps !== null) {
      const ended = await runSteps(steps);
      await post(`${url}/complete`, pauseMs, JSON.stringify(ended));
      return { task: url, succeeded: ended.succeeded };
    }
    await sleep(pauseMs);
  }
}

async function post(url: string, pauseMs: number, body?: string): Promise<Response> {
  const beganMs = performance.now();
  for (;;) {
    try {
      return await fetch(url, { method: 'POST', ...(body === undefined ? {} : { body }) });
    } catch (error) {
      if (!(error instanceof TypeError) || performance.now() - beganMs > patienceMs) throw error;
      await sleep(pauseMs);
    }
  }
}

async function runSteps(steps: readonly string[]): Promise<{ succeeded: boolean; output: string }> {
  let output = '';
  for (const step of steps) {
    const child = spawn('sh', ['-ec', step], { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    output += await text(child.stdout);
    if ((await closed) !== 0) return { succeeded: false, output };
  }
  return { succeeded: true, output };
}
