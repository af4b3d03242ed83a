import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createGitea } from '../../../../ci/gitea/create-gitea.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import { type RunnerIdentity, runOneTask } from '../gitea/run-tasks.ts';
import type { Gitea } from '../gitea/start-gitea.ts';
import { runnerEnvironment } from './queue-config.ts';

const labels = ['linux'];
const askPauseMs = 200;

/** Connects to a Gitea as davit does. */
function connect({ url, adminToken }: Gitea): CiSystem {
  return createGitea({ name: 'gitea', url, readToken: async () => adminToken, timeoutMs: 60_000 });
}

/** Registered runners that wait. Each takes a job at once, and a new one replaces it. */
export function startIdleRunners(gitea: Gitea, organization: string, count: number): AsyncDisposable {
  const ci = connect(gitea);
  const stopping = new AbortController();
  let made = 0;
  const work = async () => {
    while (!stopping.signal.aborted) {
      made += 1;
      const identity = await register(ci, organization, `idle-${made}`);
      // The list of runners to stop may be older than this one.
      if (stopping.signal.aborted) return;
      await runOneTask(identity, askPauseMs);
    }
  };
  const working = Array.from({ length: count }, work);
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      // A stopped runner asks for no more tasks.
      const left = await ci.findRunners({ organization }, 'idle-');
      for (const { id } of left) await ci.removeIfIdle({ organization }, id);
      await Promise.all(working);
    },
  };
}

/**
 * Polls for queued jobs at regular intervals, and starts a process with a runner for each new one. Autoscalers without
 * webhooks work this way. No cluster is involved.
 */
export function startPoller(gitea: Gitea, organization: string, everyMs: number): AsyncDisposable {
  const ci = connect(gitea);
  const stopping = new AbortController();
  const seen = new Set<number>();
  const runners: Promise<void>[] = [];
  const poll = async () => {
    while (!stopping.signal.aborted) {
      for (const { id } of (await ci.listJobs({ organization }, ['queued'])) ?? []) {
        if (seen.has(id)) continue;
        seen.add(id);
        runners.push(runInProcess(await register(ci, organization, `polled-${id}`)));
      }
      await Promise.race([sleep(everyMs), aborted(stopping.signal)]);
    }
  };
  const polling = poll();
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await Promise.all([polling, ...runners]);
    },
  };
}

async function register(ci: CiSystem, organization: string, name: string): Promise<RunnerIdentity> {
  const { environment } = await ci.register({ organization }, { name, labels });
  return {
    url: environment['GITEA_INSTANCE_URL'] ?? '',
    uuid: environment['GITEA_RUNNER_UUID'] ?? '',
    token: environment['GITEA_RUNNER_TOKEN'] ?? '',
    labels,
  };
}

async function runInProcess({ url: address, ...identity }: RunnerIdentity): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), 'polled-runner-'));
  await writeFile(join(cwd, '.runner'), JSON.stringify({ ...identity, address }));
  const program = fileURLToPath(new URL('../gitea/act-runner.ts', import.meta.url));
  const child = spawn(process.execPath, [program, 'daemon'], {
    cwd,
    env: { ...process.env, ...runnerEnvironment },
    stdio: 'ignore',
  });
  await new Promise((resolve) => child.once('close', resolve));
  await rm(cwd, { recursive: true });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
