import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../cluster/until.ts';
import type { Usage } from './usage.ts';

/** How to run a system's controller. */
export interface ControllerProgram {
  program: string;
  args: readonly string[];
  directory: string;
  env: Readonly<Record<string, string>>;
  /** A URL that answers 200 when the controller takes requests. */
  readyUrl: string;
}

/** A controller in a process of its own. */
export interface Controller extends AsyncDisposable {
  start(): Promise<void>;
  /** @param signal SIGKILL, or SIGTERM to let it end by itself. Resolves when it has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A busy machine starts slowly. */
const readyWithinMs = 180_000;
const answerWithinMs = 5000;
const lastBytes = 2000;

/** Starts a controller, with its output in `controller.log` of its directory. @throws Error when it does not come up */
export async function startController(controlled: ControllerProgram, usage: Usage): Promise<Controller> {
  const { program, args, directory, env, readyUrl } = controlled;
  const logPath = join(directory, 'controller.log');
  let child: ChildProcess | undefined;

  const start = async () => {
    const log = openSync(logPath, 'a');
    const started = spawn(program, args, {
      cwd: directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child = started;
    if (started.pid !== undefined) usage.follow(started.pid);
    await until(`${readyUrl} answers`, readyWithinMs, async () => {
      if (started.exitCode !== null) throw new Error(`it has ended with exit code ${started.exitCode}`);
      return (await fetch(readyUrl, { signal: AbortSignal.timeout(answerWithinMs) })).ok;
    });
  };
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await ended;
  };
  const controller = { start, end, [Symbol.asyncDispose]: () => end('SIGKILL') };
  try {
    await start();
  } catch (cause) {
    await end('SIGKILL');
    throw new Error(
      `${program} did not come up. Its last words:\n${(await readFile(logPath, 'utf8')).slice(-lastBytes)}`,
      {
        cause,
      },
    );
  }
  return controller;
}
