/**
 * A small runner for Gitea, in an agent. It takes one task, runs its `run:` steps in a shell, and reports their output.
 * Its job is green in Gitea only if every step exits with 0.
 *
 * @see https://gitea.com/gitea/actions-proto-def
 */
import { spawn } from 'node:child_process';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import * as z from 'zod';
import type { RunnerEnd } from '../../../contract/ci-system.contract.ts';

/** The runner's connection to its CI system, from its registration. */
export interface RunnerIdentity {
  url: string;
  uuid: string;
  token: string;
  /** Declared again: Gitea forgets labels that a runner does not declare. */
  labels: readonly string[];
}

const patienceMs = 60_000;
const retryPauseMs = 500;

const Fetched = z.object({
  tasksVersion: z.string().default('0'),
  task: z.object({ id: z.string(), workflowPayload: z.base64() }).optional(),
});
const Workflow = z.looseObject({
  jobs: z.record(z.string(), z.looseObject({ steps: z.array(z.looseObject({ run: z.string().optional() })) })),
});
type Task = NonNullable<z.infer<typeof Fetched>['task']>;

/**
 * Asks for one task and runs it.
 *
 * @param pauseMs between two requests
 * @param onTask called with the task's id before its first step, and with undefined after its last step
 * @returns the task's result, or Gitea's error when it no longer knows the runner
 */
export async function runOneTask(
  runner: RunnerIdentity,
  pauseMs: number,
  onTask: (id: string | undefined) => void = () => undefined,
): Promise<RunnerEnd> {
  await call(runner, 'Declare', { version: 'davit-test', labels: runner.labels }, z.unknown());
  let tasksVersion = '0';
  for (;;) {
    try {
      const fetched = await call(runner, 'FetchTask', { tasksVersion }, Fetched);
      tasksVersion = fetched.tasksVersion;
      if (fetched.task !== undefined) {
        onTask(fetched.task.id);
        return await runTask(runner, fetched.task, () => onTask(undefined));
      }
    } catch (error) {
      if (error instanceof Refused) return { refused: error.message };
      throw error;
    }
    await sleep(pauseMs);
  }
}

async function runTask(
  runner: RunnerIdentity,
  { id, workflowPayload }: Task,
  onStepsEnded: () => void,
): Promise<RunnerEnd> {
  const workflow = Workflow.parse(parse(Buffer.from(workflowPayload, 'base64').toString()));
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  const startedAt = new Date().toISOString();
  await call(runner, 'UpdateTask', { state: { id, startedAt, steps: [] } }, z.unknown());
  const rows: { time: string; content: string }[] = [];
  let succeeded = true;
  for (const { run = 'true' } of steps) {
    const ended = await runStep(run);
    rows.push({ time: new Date().toISOString(), content: ended.output.trim() });
    succeeded &&= ended.code === 0;
  }
  // From here on, the CI system may learn of the end at any moment, and have the agent ended.
  onStepsEnded();
  await call(runner, 'UpdateLog', { taskId: id, index: '0', rows, noMore: true }, z.unknown());
  const stoppedAt = new Date().toISOString();
  const result = succeeded ? 'RESULT_SUCCESS' : 'RESULT_FAILURE';
  const states = steps.map((_, index) => ({
    id: String(index),
    result,
    startedAt,
    stoppedAt,
    logIndex: String(index),
    logLength: '1',
  }));
  await call(runner, 'UpdateTask', { state: { id, result, startedAt, stoppedAt, steps: states } }, z.unknown());
  return { task: id, succeeded };
}

async function runStep(script: string): Promise<{ output: string; code: number | null }> {
  const child = spawn('sh', ['-ec', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  return { output: `${stdout}${stderr}`, code: await code };
}

class Refused extends Error {}

/** Retries when Gitea is away for a moment or answers with a fault, as act_runner does. */
async function call<T>(runner: RunnerIdentity, method: string, body: unknown, schema: z.ZodType<T>): Promise<T> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await callOnce(runner, method, body, schema);
    } catch (error) {
      if (error instanceof Refused || performance.now() > untilMs) throw error;
      await sleep(retryPauseMs);
    }
  }
}

async function callOnce<T>(runner: RunnerIdentity, method: string, body: unknown, schema: z.ZodType<T>): Promise<T> {
  const response = await fetch(`${runner.url}/api/actions/runner.v1.RunnerService/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-runner-uuid': runner.uuid,
      'x-runner-token': runner.token,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  // Gitea wraps its own error in a status 500.
  if (text.includes('unregistered runner')) throw new Refused(text);
  if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`);
  return schema.parse(JSON.parse(text));
}
