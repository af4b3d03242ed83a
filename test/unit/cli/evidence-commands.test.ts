import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli.ts';
import { newFolder } from '../../support/new-folder.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';
import { linesOf, wholeLife, withStep } from '../verify/trace/launch-history.ts';

const directory = newFolder();

async function davit(...args: string[]) {
  const terminal = recordingTerminal();
  const code = await runCli(args, terminal);
  return { code, lines: terminal.lines, notes: terminal.notes };
}

async function fileOf(name: string, lines: readonly unknown[]): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
}

/** The log lines of writes, as functions log them. */
const logged = linesOf(wholeLife).map(({ atEpochMs, written }) => ({
  level: 'INFO',
  message: 'record written',
  timestamp: new Date(atEpochMs).toISOString(),
  written,
}));

test('a trace is exported from the logs of a local davit, oldest first, and verified', async () => {
  const state = join(directory, 'state');
  await mkdir(join(state, 'logs'), { recursive: true });
  await fileOf('state/logs/connect.log', ['a warning that is no JSON', ...logged.slice(8)]);
  await fileOf('state/logs/webhook.log.1', [{ message: 'webhook answered' }, ...logged.slice(0, 8)]);

  const exported = await davit('export-trace', '--state', state);
  const verified = await davit('verify-trace', await fileOf('trace.jsonl', exported.lines), '--at-rest');

  expect(exported.notes).toEqual([`${logged.length} writes of records, from 2 logs`]);
  expect(exported.lines.map((line) => JSON.parse(line).atEpochMs)).toEqual(
    linesOf(wholeLife).map((line) => line.atEpochMs),
  );
  expect(verified).toEqual({
    code: undefined,
    lines: [
      `1 launches, 0 jobs, 0 limits, 0 clusters, 0 runners: ${logged.length} writes, and none is missing`,
      "held each step is one of the protocol's",
    ],
    notes: [],
  });
});

test('a trace is exported from what aws logs filter-log-events writes', async () => {
  const events = logged.map((line) => ({ timestamp: 1, message: `${JSON.stringify(line)}\n` }));

  const { lines } = await davit(
    'export-trace',
    await fileOf('webhook.json', [JSON.stringify({ events }, undefined, 4)]),
  );

  expect(lines).toHaveLength(logged.length);
});

test('a step that the protocol does not have names the file, the line and the launch, and fails', async () => {
  const steps = linesOf(withStep('markCleaned', { status: 'failed' }));
  const file = await fileOf('broken.jsonl', steps);

  const { code, lines, notes } = await davit('verify-trace', file);

  expect(code).toBe(1);
  expect(lines[0]).toBe(
    `broken ${file}:${steps.length} launch tea-1-2-1: markCleaned: the protocol has no such step; revision 1014: its ending is terminated`,
  );
  expect(notes).toEqual(["error not-allowed: 1 steps are not the protocol's"]);
});

test('a history of jobs is verified, and what is wrong fails', async () => {
  const job = { atEpochMs: 1, job: 'a' };
  const queued = { ...job, event: 'queued' };
  const good = await fileOf('good.jsonl', [queued, { ...job, event: 'explained', why: 'no profile' }]);
  const bad = await fileOf('bad.jsonl', [queued]);

  expect(await davit('verify-jobs', good)).toMatchObject({
    code: undefined,
    lines: [
      '1 jobs: 0 ran, 0 cancelled, 0 lost their agents, 1 wait; 0 runners',
      'held each job ran once, or says why not',
    ],
  });
  expect(await davit('verify-jobs', bad)).toMatchObject({
    code: 1,
    lines: [`broken ${bad}:1 job a: a job is run, is cancelled, or davit says why not; it waits`, expect.anything()],
  });
});

test('what cannot be read names the file, and the line', async () => {
  const broken = await fileOf('broken.log', ['', '{"message":"record written","timestamp":1}']);
  const line = await fileOf('line.jsonl', [JSON.stringify(linesOf(wholeLife)[0]), '{"atEpochMs":"yesterday"}']);
  const empty = await fileOf('empty.jsonl', ['']);

  expect((await davit('export-trace', broken)).notes[0]).toMatch(
    /^error bad-line: .*broken\.log, line 2: no write of a record: /,
  );
  expect((await davit('export-trace', '--state', join(directory, 'none'))).notes[0]).toMatch(
    /^error no-logs: .* has no logs/,
  );
  expect((await davit('verify-trace', line)).notes[0]).toMatch(/^error bad-line: .*line\.jsonl, line 2: atEpochMs: /);
  expect((await davit('verify-trace', empty)).notes[0]).toBe(`error empty-trace: ${empty} has no write of a record`);
  expect((await davit('verify-jobs', empty)).notes[0]).toBe(`error empty-history: ${empty} has no event of a job`);
  expect((await davit('verify-jobs', join(directory, 'none'))).notes[0]).toMatch(
    /^error no-file: .*none cannot be read: ENOENT/,
  );
});

test("Jenkins' own list of builds is verified", async () => {
  const build = { building: false, result: 'SUCCESS', builtOn: 'davit-a', timestamp: 1000, duration: 500 };
  const jobs = [{ name: 'app', builds: [{ number: 1, ...build }] }];

  const verified = await davit('verify-jobs', '--jenkins', await fileOf('builds.json', [{ jobs }]));

  expect(verified.lines).toEqual([
    '1 jobs: 1 ran, 0 cancelled, 0 lost their agents, 0 wait; 1 runners',
    'held each job ran once, or says why not',
  ]);
});
