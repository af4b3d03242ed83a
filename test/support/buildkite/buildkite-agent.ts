import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as z from '../../../core/zod.ts';

/**
 * Buildkite's agent in one page: it acquires one job, runs its command with `sh`, and exits as the agent v3.78.0 does. Without
 * a job to acquire, it asks for one after the other until it is stopped. The real one asks each second or later.
 */

const [, , , , configFile = ''] = process.argv;
const { BUILDKITE_AGENT_ENDPOINT: endpoint = '', BUILDKITE_AGENT_ACQUIRE_JOB: onlyJobId } = process.env;
const pingPauseMs = 200;
const [, registrationToken = ''] = /token="(.*)"/.exec(await readFile(configFile, 'utf8')) ?? [];

async function call(
  token: string,
  method: string,
  path: string,
  content?: unknown,
): Promise<{ status: number; body: unknown }> {
  const isChunk = content instanceof Buffer;
  const response = await fetch(`${endpoint}${path}`, {
    method,
    headers: {
      authorization: `Token ${token}`,
      'content-type': isChunk ? 'text/plain' : 'application/json',
      ...(isChunk ? { 'content-encoding': 'gzip' } : {}),
    },
    ...(content === undefined ? {} : { body: isChunk ? new Uint8Array(content) : JSON.stringify(content) }),
  });
  return { status: response.status, body: await response.json() };
}

const tags = (process.env['BUILDKITE_AGENT_TAGS'] ?? '').split(',');
const registering = { name: process.env['BUILDKITE_AGENT_NAME'], meta_data: tags };
const registered = await call(registrationToken, 'POST', '/register', registering);
if (registered.status !== 200) process.exit(1);
const { access_token: token } = z.object({ access_token: z.string() }).parse(registered.body);
await call(token, 'POST', '/connect');
if (onlyJobId === undefined) for (;;) await runJob(await untilGiven(), 'accept');
const isAcquired = await runJob(onlyJobId, 'acquire');
await call(token, 'POST', '/disconnect');
process.exit(isAcquired ? 0 : 27);

/** Asks until there is a job. @returns its id */
async function untilGiven(): Promise<string> {
  for (;;) {
    const { body } = await call(token, 'GET', '/ping');
    const { job } = z.object({ job: z.optional(z.object({ id: z.string() })) }).parse(body);
    if (job !== undefined) return job.id;
    await sleep(pingPauseMs);
  }
}

/** Gets a job by this request, and runs it. @returns false if another agent has it, or it is over */
async function runJob(jobId: string, request: 'acquire' | 'accept'): Promise<boolean> {
  const given = await call(token, 'PUT', `/jobs/${jobId}/${request}`);
  if (given.status !== 200) return false;
  const { env } = z.object({ env: z.record(z.string(), z.string()) }).parse(given.body);
  await call(token, 'PUT', `/jobs/${jobId}/start`, {});
  const job = spawn('sh', ['-c', env['BUILDKITE_COMMAND'] ?? ''], { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [job.stdout, job.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const over = once(job, 'close');
  const stop = () => job.kill('SIGTERM');
  process.on('SIGTERM', stop);
  while ((await Promise.race([over, sleep(500, 'runs')])) === 'runs') {
    const { body } = await call(token, 'GET', `/jobs/${jobId}`);
    if (/cancel/.test(z.object({ state: z.string() }).parse(body).state)) stop();
  }
  process.off('SIGTERM', stop);
  await call(token, 'POST', `/jobs/${jobId}/chunks?sequence=1`, gzipSync(output));
  await call(token, 'PUT', `/jobs/${jobId}/finish`, { exit_status: `${job.exitCode ?? -1}` });
  return true;
}
