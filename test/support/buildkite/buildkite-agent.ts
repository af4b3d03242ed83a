import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as z from '../../../core/zod.ts';

/** Buildkite's agent in one page: it acquires one job, runs its command with `sh`, and exits as the agent v3.78.0 does. */

const [, , , , configFile = ''] = process.argv;
const { BUILDKITE_AGENT_ENDPOINT: endpoint = '', BUILDKITE_AGENT_ACQUIRE_JOB: jobId = '' } = process.env;
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
const acquired = await call(token, 'PUT', `/jobs/${jobId}/acquire`);
if (acquired.status !== 200) {
  await call(token, 'POST', '/disconnect');
  process.exit(27);
}
const { env } = z.object({ env: z.record(z.string(), z.string()) }).parse(acquired.body);
await call(token, 'PUT', `/jobs/${jobId}/start`, {});
const job = spawn('sh', ['-c', env['BUILDKITE_COMMAND'] ?? ''], { env: { ...process.env, ...env } });
let output = '';
for (const stream of [job.stdout, job.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
const over = once(job, 'close');
process.on('SIGTERM', () => job.kill('SIGTERM'));
const watching = (async () => {
  while (job.exitCode === null && job.signalCode === null) {
    await sleep(500);
    const { body } = await call(token, 'GET', `/jobs/${jobId}`);
    if (/cancel/.test(z.object({ state: z.string() }).parse(body).state)) job.kill('SIGTERM');
  }
})();
await over;
await call(token, 'POST', `/jobs/${jobId}/chunks?sequence=1`, gzipSync(output));
await call(token, 'PUT', `/jobs/${jobId}/finish`, { exit_status: `${job.exitCode ?? -1}` });
await call(token, 'POST', '/disconnect');
await watching;
process.exit(0);
