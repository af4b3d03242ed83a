import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from '../../../core/zod.ts';

/**
 * Forgejo's runner in one page, as far as `one-job --wait` goes: it declares its labels, waits for the job of its handle,
 * runs its command with `sh`, reports each half second, and exits. It waits on when its job is over or it is no longer registered.
 */

const option = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: option,
    uuid: option,
    'token-url': option,
    handle: option,
    label: { type: 'string', multiple: true },
    wait: { type: 'boolean' },
  },
});
if (positionals[0] !== 'one-job' || values.wait !== true) process.exit(64);
const token = (await readFile(`${values['token-url']}`.replace(/^file:(\/\/)?/, ''), 'utf8')).trim();

async function call(method: string, body: object): Promise<unknown> {
  const response = await fetch(`${values.url}/api/actions/runner.v1.RunnerService/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-runner-uuid': `${values.uuid}`, 'x-runner-token': token },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method}: ${response.status}`);
  return response.json();
}

/** Makes a call that a runner repeats until it is answered. */
async function repeat(method: string, body: object): Promise<unknown> {
  for (;;) {
    try {
      return await call(method, body);
    } catch {
      await sleep(200);
    }
  }
}

const Fetched = z.object({ task: z.optional(z.object({ id: z.string(), command: z.string() })) });

const labels = (values.label ?? []).map((label) => label.split(':', 1)[0] ?? '');
await repeat('Declare', { version: 'v12.8.0', labels });
let task: z.infer<typeof Fetched>['task'];
do {
  ({ task } = Fetched.parse(await repeat('FetchSingleTask', { tasksVersion: '0', handle: values.handle })));
  if (task === undefined) await sleep(200);
} while (task === undefined);

const job = spawn('sh', ['-c', task.command]);
let output = '';
for (const stream of [job.stdout, job.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
const over = once(job, 'close');
process.on('SIGTERM', () => {
  job.kill('SIGTERM');
  setTimeout(() => process.exit(143), 500).unref();
});
while (job.exitCode === null && job.signalCode === null) {
  await call('UpdateTask', { state: { id: task.id } }).catch(() => undefined);
  await Promise.race([over, sleep(500)]);
}
await repeat('UpdateLog', { taskId: task.id, index: '0', rows: [{ content: output }], noMore: true });
await repeat('UpdateTask', {
  state: { id: task.id, result: job.exitCode === 0 ? 'RESULT_SUCCESS' : 'RESULT_FAILURE' },
});
process.exit(0);
