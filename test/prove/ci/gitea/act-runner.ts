/**
 * A stand-in for Gitea's act_runner in a sandbox Pod. `act_runner daemon` reads `.runner` in its directory, takes one
 * task as an ephemeral runner does, and ends. It tells the test when something kills it in the middle of a task.
 *
 * @see https://gitea.com/gitea/act_runner/src/branch/main/internal/pkg/config/registration.go
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { runOneTask } from './run-tasks.ts';

const pauseMs = 200;
const Registration = z.object({ uuid: z.string(), token: z.string(), address: z.url(), labels: z.array(z.string()) });

if (process.argv[2] !== 'daemon') {
  process.stderr.write(`act_runner: this stand-in knows "daemon" only, not "${process.argv.slice(2).join(' ')}"\n`);
  process.exit(2);
}
const { uuid, token, address, labels } = Registration.parse(JSON.parse(await readFile('.runner', 'utf8')));
const names = labels.map((label) => label.replace(/:.*$/, ''));
let task: string | undefined;
process.on('SIGTERM', () => {
  void tell().finally(() => process.exit(143));
});
const end = await runOneTask({ url: address, uuid, token, labels: names }, pauseMs, (id) => {
  task = id;
});
process.stdout.write(`${JSON.stringify(end)}\n`);
process.exit('refused' in end ? 1 : 0);

async function tell(): Promise<void> {
  const kills = process.env['TEST_KILLS_URL'];
  if (task === undefined || kills === undefined) return;
  await fetch(kills, {
    method: 'POST',
    body: JSON.stringify({ task, agent: process.env['DAVIT_AGENT_NAME'] ?? '' }),
  });
}
