import * as z from 'zod';
import examples from './api-examples.json' with { type: 'json' };
import type { GithubJob, GithubRunner } from './github-state.ts';

const Examples = z.record(z.string(), z.record(z.string(), z.unknown()));
const byName = Examples.parse(examples);

/** Returns an example from GitHub's own API description. `npm run docs` collects the used ones. */
export function example(name: string): Record<string, unknown> {
  const found = byName[name];
  if (found === undefined) throw new Error(`api-examples.json has no ${name}: run npm run docs`);
  return found;
}

/** A runner, as GitHub's API shows it. */
export function runnerBody({ id, name, labels, groupId, busy }: GithubRunner): unknown {
  return {
    id,
    name,
    os: 'unknown',
    status: 'offline',
    busy,
    runner_group_id: groupId,
    labels: labels.map((label, index) => ({ id: index + 1, name: label, type: 'custom' })),
  };
}

/** The commit of a run: its SHA is derived from the run's id. */
export function shaOf(runId: number): string {
  return runId.toString(16).padStart(40, '0');
}

/** A job's own fields, in GitHub's API and in its webhooks. */
export function jobFields(job: GithubJob) {
  const { id, runId, attempt, name, labels, status, conclusion, runnerId, runnerName, queuedAtEpochMs } = job;
  return {
    created_at: new Date(queuedAtEpochMs).toISOString(),
    head_sha: shaOf(runId),
    id,
    run_id: runId,
    run_attempt: attempt,
    name,
    labels,
    status,
    conclusion: conclusion ?? null,
    runner_id: runnerId ?? null,
    runner_name: runnerName ?? null,
  };
}

/** A job, as GitHub's API shows it. */
export function jobBody(job: GithubJob): unknown {
  return { ...example('job'), ...jobFields(job) };
}

/** A run with a running job is in progress, even if another job is queued. */
export function statusOfRun(jobs: readonly GithubJob[]): string {
  if (jobs.some(({ status }) => status === 'in_progress')) return 'in_progress';
  if (jobs.every(({ status }) => status === 'queued')) return 'queued';
  return jobs.every(({ status }) => status === 'completed') ? 'completed' : 'in_progress';
}

/** The page of a list that a request asks for. */
export function pageOf<Item>(items: readonly Item[], query: URLSearchParams): Item[] {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const from = (Number(query.get('page') ?? 1) - 1) * size;
  return items.slice(from, from + size);
}
