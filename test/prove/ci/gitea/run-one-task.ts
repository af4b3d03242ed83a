import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { Registration } from '../../../../ports/ci-system.ts';
import type { RunnerEnd } from '../../../contract/ci-system.contract.ts';
import { buildActRunner } from '../../cluster/programs/programs.ts';

const End = z.union([z.object({ task: z.string(), succeeded: z.boolean() }), z.object({ refused: z.string() })]);

/**
 * Runs the stand-in for act_runner as a registered runner: it takes one task, runs it, and ends.
 *
 * @returns the task's result, or Gitea's error when it no longer knows the runner
 * @throws Error with its output, when it ended otherwise
 */
export async function runOneTask({ environment }: Pick<Registration, 'environment'>): Promise<RunnerEnd> {
  const cwd = await mkdtemp(join(tmpdir(), 'act-runner-'));
  const registration = {
    address: environment['GITEA_INSTANCE_URL'],
    uuid: environment['GITEA_RUNNER_UUID'],
    token: environment['GITEA_RUNNER_TOKEN'],
    labels: (environment['GITEA_RUNNER_LABELS'] ?? '').split(','),
  };
  await writeFile(join(cwd, '.runner'), JSON.stringify(registration));
  const child = spawn(await buildActRunner(), ['daemon'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  await rm(cwd, { recursive: true });
  if (stdout === '') throw new Error(`act_runner ended with ${child.exitCode}: ${stderr}`);
  return End.parse(JSON.parse(stdout));
}
