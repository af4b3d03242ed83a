import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from '../../../core/zod.ts';

/** What `gitlab-runner run-single` is started with. */
export interface RunSingleOptions {
  url: string;
  token: string;
  maxBuilds: number;
  waitTimeoutSeconds: number;
  /** The pause between two requests for a job. GitLab's own is 3 s. */
  checkIntervalMs: number;
  /** Called when GitLab does not know the token. The real runner waits, and asks again for ever. */
  onUnhealthy?: () => void;
}

/** A job that was run. */
export interface RanJob {
  id: number;
  name: string;
  succeeded: boolean;
}

const Payload = z.object({
  id: z.int(),
  token: z.string(),
  job_info: z.object({ name: z.string() }),
  steps: z.array(z.object({ script: z.array(z.string()) })),
});

/**
 * A runner's loop, as `commands/single.go` of gitlab-runner has it: it asks, runs a job, counts it, and ends when it has
 * run as many as it may, or has waited for too long since its last one. A job that GitLab no longer wants when the runner
 * begins is not counted. As of version 19.1: before, the runner told GitLab nothing of such a job, which stayed `canceling`.
 */
export class RunSingle {
  readonly ran: RanJob[] = [];
  readonly #options: RunSingleOptions;
  #isFinished = false;
  #abort: () => void = () => {};

  constructor(options: RunSingleOptions) {
    this.#options = options;
  }

  /** SIGQUIT: asks for no further job, and lets the present one finish. */
  quit(): void {
    this.#isFinished = true;
  }

  /** SIGTERM: aborts the present job, too. */
  terminate(): void {
    this.#isFinished = true;
    this.#abort();
  }

  async run(): Promise<void> {
    const { maxBuilds, waitTimeoutSeconds } = this.#options;
    let lastBuildEpochMs = Date.now();
    while (!this.#isFinished) {
      if (await this.#processBuild()) lastBuildEpochMs = Date.now();
      if (this.ran.length >= maxBuilds) this.#isFinished = true;
      if (Date.now() - lastBuildEpochMs > waitTimeoutSeconds * 1000) this.#isFinished = true;
    }
  }

  async #call(method: string, path: string, body: object): Promise<Response | undefined> {
    const headers = { 'content-type': 'application/json' };
    const sent = { method, headers, body: JSON.stringify(body) };
    return fetch(`${this.#options.url}/api/v4${path}`, sent).catch(() => undefined);
  }

  async #processBuild(): Promise<boolean> {
    const { token, checkIntervalMs, onUnhealthy } = this.#options;
    const answer = await this.#call('POST', '/jobs/request', {
      token,
      info: { features: { cancel_gracefully: true } },
    });
    if (answer?.status !== 201) {
      if (answer?.status === 403) onUnhealthy?.();
      await sleep(checkIntervalMs);
      return false;
    }
    const job = Payload.parse(await answer.json());
    const wanted = await this.#wanted(job);
    // Neither counts as one of `--max-builds`: the runner asks for another job.
    if (wanted === 'aborted') return false;
    if (wanted === 'canceling') {
      await this.#call('PUT', `/jobs/${job.id}`, { token: job.token, state: 'failed' });
      return false;
    }
    const succeeded = await this.#runScript(job);
    await this.#call('PUT', `/jobs/${job.id}`, { token: job.token, state: succeeded ? 'success' : 'failed' });
    this.ran.push({ id: job.id, name: job.job_info.name, succeeded });
    return true;
  }

  async #wanted({ id, token }: z.infer<typeof Payload>): Promise<'yes' | 'aborted' | 'canceling'> {
    const answer = await this.#call('PUT', `/jobs/${id}`, { token, state: 'running' });
    if (answer?.status === 403) return 'aborted';
    return answer?.headers.get('job-status') === 'canceling' ? 'canceling' : 'yes';
  }

  async #runScript(job: z.infer<typeof Payload>): Promise<boolean> {
    const script = job.steps.flatMap((step) => step.script).join('\n');
    const child = spawn('sh', ['-c', script], { env: { ...process.env, CI_JOB_ID: `${job.id}` }, detached: true });
    const kill = () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    };
    this.#abort = kill;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
    const over = once(child, 'close');
    const watching = this.#watch(job, child, kill);
    await over;
    await this.#call('PATCH', `/jobs/${job.id}/trace`, { token: job.token, text: output });
    await watching;
    return child.exitCode === 0;
  }

  /** Each update's answer says whether the job is still wanted. */
  async #watch(
    job: z.infer<typeof Payload>,
    child: { exitCode: number | null; signalCode: NodeJS.Signals | null },
    kill: () => void,
  ): Promise<void> {
    while (child.exitCode === null && child.signalCode === null) {
      if ((await this.#wanted(job)) !== 'yes') kill();
      await sleep(Math.min(300, this.#options.checkIntervalMs));
    }
  }
}
