import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunnerProvider } from '../../../../core/ci/ci-system-config.ts';
import { until } from '../../cluster/until.ts';
import type { AgentProgram } from './ci-system.ts';

/** The stand-in for the program of a CI system's agents: `bin/` in the folder of its fake. */
export function standInOf(provider: RunnerProvider, file: string, variable: string): AgentProgram {
  const inFolder = (name: string) => fileURLToPath(new URL(`../../../support/${provider}/${name}`, import.meta.url));
  const searchPath = [inFolder('bin'), '/usr/bin', '/bin'].join(delimiter);
  return { environment: { PATH: searchPath, TEST_NODE: process.execPath, [variable]: inFolder(file) } };
}

/** Starts an agent's program, with only this environment. Disposal kills it. */
export function startAgent([program = '', ...args]: readonly string[], env: Record<string, string>): AsyncDisposable {
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'close');
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const patienceMs = 60_000;

/** Waits until an agent is connected and idle. */
export function untilConnected(look: () => boolean): Promise<boolean> {
  return until('the agent is connected and idle', patienceMs, async () => look());
}
