import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGitea } from '../../../../ci/gitea/create-gitea.ts';
import type { CiSystem, Registration } from '../../../../ports/ci-system.ts';
import { runOneTask } from '../gitea/run-one-task.ts';
import type { Gitea } from '../gitea/start-gitea.ts';

const labels = ['linux'];

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
      const registration = await register(ci, organization, `idle-${made}`);
      // The list of runners to stop may be older than this one.
      if (stopping.signal.aborted) return;
      await runOneTask(registration);
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
  const runners: Promise<unknown>[] = [];
  const poll = async () => {
    while (!stopping.signal.aborted) {
      for (const { jobId } of (await ci.listJobs({ organization }, ['queued'])) ?? []) {
        const id = Number(jobId);
        if (seen.has(id)) continue;
        seen.add(id);
        runners.push(runOneTask(await register(ci, organization, `polled-${id}`)));
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

function register(ci: CiSystem, organization: string, name: string): Promise<Registration> {
  return ci.register({ organization }, { name, labels });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
