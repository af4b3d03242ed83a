import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { RunnerEnd } from '../../contract/ci-system.contract.ts';

const JitConfig = z.object({ url: z.url() });
const Given = z.object({ steps: z.array(z.string()).nullable() });

/** Runs one job of the tests' GitHub, as its runner does with a JIT configuration. */
export async function runOneJob(encodedJitConfig: string, pauseMs: number): Promise<RunnerEnd> {
  const { url } = JitConfig.parse(JSON.parse(Buffer.from(encodedJitConfig, 'base64').toString()));
  for (;;) {
    const response = await fetch(`${url}/job`, { method: 'POST' });
    if (response.status === 401) return { refused: await response.text() };
    const { steps } = Given.parse(await response.json());
    if (steps !== null) {
      // Not spawnSync for the waiting: the tests' GitHub is in this very process.
      const succeeded = await runSteps(steps);
      await fetch(`${url}/complete`, { method: 'POST', body: JSON.stringify({ succeeded }) });
      return { task: url, succeeded };
    }
    await sleep(pauseMs);
  }
}

async function runSteps(steps: readonly string[]): Promise<boolean> {
  for (const step of steps) {
    const [, seconds] = /^sleep (\d+)$/.exec(step) ?? [];
    if (seconds !== undefined) await sleep(Number(seconds) * 1000);
    else if (spawnSync('sh', ['-ec', step]).status !== 0) return false;
  }
  return true;
}
