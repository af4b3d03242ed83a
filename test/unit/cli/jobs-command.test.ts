import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCli } from '../../../cli/run-cli.ts';
import type { JobList } from '../../../functions/jobs/queued-job-view-schema.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';

/** Runs `davit jobs` against a davit that gives this answer. @returns what it told beside its output */
async function notesFor(answer: JobList): Promise<string[]> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const terminal = recordingTerminal();
  try {
    const { port } = server.address() as AddressInfo;
    await runCli(['jobs', '--url', `http://127.0.0.1:${port}`, '--token', 'token'], terminal);
  } finally {
    server.close();
  }
  return terminal.notes;
}

test('jobs says within which time a lost webhook is found, where that is long', async () => {
  const notes = await notesFor({
    jobs: [],
    lostWebhooks: [
      { ciSystem: 'gitea', foundWithinSeconds: 14_340 },
      { ciSystem: 'github', foundWithinSeconds: 60 },
    ],
  });

  expect(notes.slice(1)).toEqual([
    'a webhook of gitea that is lost is found within 3 h 59 min: its repositories take turns (docs/limits.md)',
  ]);
});
