import { TransientError } from '../../core/errors/errors.ts';
import type * as z from '../../core/zod.ts';
import { type CiAnswer, type CiConnection, type CiRequest, callCi, parseAnswer } from '../ci-http.ts';
import { AcquisitionTokens, JobStates, type ScheduledJob, ScheduledJobs } from './answers.ts';

/** How many jobs one request may be about. */
const mostJobs = 1000;

/** How many pages of the queue one look reads: reserved jobs leave the list, and the next look sees the others. */
const mostPages = 3;

/** The stack that davit is for Buildkite. */
export interface Stack {
  readKey: () => Promise<string>;
  queue: string;
}

/**
 * Every request that davit makes to Buildkite's stacks API. Registers the stack before the first one. Each method may
 * throw what `callCi` throws.
 *
 * @see https://buildkite.com/docs/apis/agent-api/stacks
 */
export class StacksApi {
  readonly #connection: CiConnection;
  readonly #stack: Stack;
  #registered: Promise<unknown> | undefined;

  constructor(connection: CiConnection, stack: Stack) {
    this.#connection = connection;
    this.#stack = stack;
  }

  /** Lists the jobs that wait in the queue, oldest first; none of a queue that is paused. */
  async scheduledJobs(): Promise<ScheduledJob[]> {
    const found: ScheduledJob[] = [];
    let after: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const query = new URLSearchParams({ queue_key: this.#stack.queue, limit: `${mostJobs}` });
      if (after !== undefined) query.set('after', after);
      const path = `/scheduled-jobs?${query.toString()}`;
      const { jobs, page_info, cluster_queue } = await this.#ask({ method: 'GET', path }, ScheduledJobs);
      if (cluster_queue.dispatch_paused || cluster_queue.paused) return [];
      found.push(...jobs);
      after = page_info.end_cursor ?? undefined;
      if (!page_info.has_next_page || after === undefined) break;
    }
    return found;
  }

  /** Reserves jobs for this stack, or extends that. Buildkite skips those that it cannot reserve. */
  async reserve(jobIds: readonly string[], seconds: number): Promise<void> {
    for (const job_uuids of inBatches(jobIds)) {
      const body = { job_uuids, reservation_expiry_seconds: seconds };
      await this.#call({ method: 'PUT', path: '/scheduled-jobs/batch-reserve', body });
    }
  }

  /** Reads the names of jobs' states, by their ids. */
  async states(jobIds: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const job_uuids of inBatches(jobIds)) {
      const request: CiRequest = { method: 'POST', path: '/jobs/get-states', body: { job_uuids } };
      for (const [id, state] of Object.entries((await this.#ask(request, JobStates)).states)) found.set(id, state);
    }
    return found;
  }

  /**
   * Issues a token with which one agent may acquire one reserved job.
   *
   * @throws TransientError CiUnavailable when Buildkite issues none, because the job is no longer reserved
   */
  async acquisitionToken(jobId: string, seconds: number): Promise<string> {
    const body = { job_uuids: [jobId], token_lifetime_seconds: seconds };
    const request: CiRequest = { method: 'POST', path: '/job-acquisition-tokens', body };
    const { job_acquisition_tokens } = await this.#ask(request, AcquisitionTokens);
    const issued = job_acquisition_tokens.find(({ job_uuid }) => job_uuid === jobId);
    if (issued !== undefined) return issued.job_acquisition_token;
    const detail = `${this.#connection.name}: Buildkite issues no token for job ${jobId}: another agent has it, or it is over`;
    throw new TransientError('CiUnavailable', detail);
  }

  /** Ends a job as failed. @returns whether Buildkite did so: a job that an agent has, or that is over, stays as it is */
  async finish(jobId: string, detail: string): Promise<boolean> {
    const path = `/jobs/${encodeURIComponent(jobId)}/finish`;
    const body = { exit_status: -1, detail };
    const { status } = await this.#call({ method: 'POST', path, body, expect: [404, 409, 422] });
    return status < 300;
  }

  /** Shows words on the pages of jobs. Buildkite skips those that it cannot show. */
  async notify(notes: readonly { job_uuid: string; detail: string }[]): Promise<void> {
    for (const notifications of inBatches(notes)) {
      await this.#call({ method: 'POST', path: '/notifications', body: { notifications } });
    }
  }

  /** Registers the stack. Repeatable. */
  async register(): Promise<void> {
    const { readKey, queue } = this.#stack;
    const body = { key: await readKey(), type: 'custom', queue_key: queue, metadata: { software: 'davit' } };
    await callCi(this.#connection, { method: 'POST', path: '/stacks/register', body });
  }

  async #call({ path, ...request }: CiRequest): Promise<CiAnswer> {
    this.#registered ??= this.register();
    try {
      await this.#registered;
      return await callCi(this.#connection, { ...request, path: `/stacks/${await this.#stack.readKey()}${path}` });
    } catch (error) {
      // Somebody may have removed the stack: the next request registers it again.
      this.#registered = undefined;
      throw error;
    }
  }

  async #ask<Answer>(request: CiRequest, schema: z.core.$ZodType<Answer>): Promise<Answer> {
    return parseAnswer(this.#connection, request, schema, (await this.#call(request)).body);
  }
}

function inBatches<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / mostJobs) }, (_, index) =>
    items.slice(index * mostJobs, (index + 1) * mostJobs),
  );
}
