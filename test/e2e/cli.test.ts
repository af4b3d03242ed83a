import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { runCli } from '../../cli/run-cli.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';
import { type DavitProcess, startDavitProcess } from './davit-process.ts';

let directory: string;
let state: string;
let config: string;
let davit: DavitProcess;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-cli-'));
  state = join(directory, 'state');
  config = join(directory, 'davit.yaml');
  const made = await run('init', '--ci', 'standard', '--sandbox', '--config', config);
  expect(made).toMatchObject({ exitCode: 0, notes: [] });
  davit = await startDavitProcess(['--listen', '127.0.0.1:0', '--state', state, '--config', config]);
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

interface Ran {
  exitCode: number;
  lines: string[];
  notes: string[];
}

async function run(...args: string[]): Promise<Ran> {
  const terminal = recordingTerminal();
  const exitCode = (await runCli(args, terminal)) ?? 0;
  return { exitCode, lines: terminal.lines, notes: terminal.notes };
}

/** Runs a command line for the davit under test. */
async function ask(command: string, ...args: string[]): Promise<Ran> {
  return run(command, ...args, '--state', state);
}

const Json = z.looseObject({ launchId: z.string(), status: z.string() });
const parsed = ({ lines }: Ran) => Json.parse(JSON.parse(lines.join('\n')));

describe('the command line follows launches from request to end', () => {
  test('launch, wait, show, list, events, end, wait, watch', async () => {
    const { launchId } = parsed(await ask('launch', 'linux', '--job', 'build/7', '--env', 'A=b=c', '-o', 'json'));
    const again = await ask('launch', 'linux', '--job', 'build/7');
    const connected = await ask('wait', launchId, '--timeout', '100s');
    const shown = await ask('show', launchId);
    const listed = await ask('list', '--status', 'connected,launching', '--profile', 'linux', '--since', '1h');
    const ended = await ask('end', launchId);
    const over = await ask('wait', launchId, '--for', 'over');
    const watched = await ask('watch', launchId);
    const notConnected = await ask('wait', launchId);

    expect(again.lines).toEqual([expect.stringMatching(`^${launchId} .*requested before`)]);
    expect(connected).toEqual({ exitCode: 0, lines: [`${launchId}  connected`], notes: [] });
    expect(shown.lines.join('\n')).toMatch(/requested\n.*the Service exists\n[^]*has connected/);
    expect(listed.lines).toEqual([
      expect.stringMatching(/^LAUNCH +STATUS +PROFILE/),
      expect.stringMatching(`^${launchId}  connected  linux .* build/7$`),
    ]);
    expect(ended.lines).toEqual([`${launchId}  cleaning`]);
    expect(over).toMatchObject({ exitCode: 0, lines: [`${launchId}  terminated`] });
    expect(watched.lines.at(-1)).toMatch(/the Pod and the Service are removed$/);
    expect(notConnected).toMatchObject({ exitCode: 1, notes: [expect.stringMatching('the launch was deleted')] });
    const events = (await ask('events')).lines.filter((line) => line.includes(launchId));
    expect(events.join('\n')).toMatch(/LaunchRequested[^]*AgentConnected[^]*LaunchTerminated/);
  });

  test('two launches without a job are different launches', async () => {
    const [one, other] = [await ask('launch', 'linux', '-o', 'json'), await ask('launch', 'linux', '-o', 'json')];
    expect(parsed(one).launchId).not.toBe(parsed(other).launchId);
    for (const launched of [one, other]) await ask('end', parsed(launched).launchId);
  });

  test('a wait that times out says so', async () => {
    const { launchId } = parsed(await ask('launch', 'linux', '-o', 'json'));
    const waited = await ask('wait', launchId, '--for', 'over', '--timeout', '1s');
    await ask('end', launchId);

    expect(waited).toMatchObject({ exitCode: 6, notes: [expect.stringMatching(/^error timeout: /)] });
  });
});

describe('an agent is reached by the beginning of its launch', () => {
  let launchId: string;
  beforeAll(async () => {
    ({ launchId } = parsed(await ask('launch', 'linux', '--job', 'reached/1', '-o', 'json')));
    await ask('launch', 'linux', '--job', 'reached/2');
    await ask('wait', launchId, '--timeout', '100s');
  });
  afterAll(async () => {
    for (const id of [launchId, 'api-reached-2']) await ask('end', id);
  });

  test('shown, and followed until it is over', async () => {
    expect((await ask('show', 'api-reached-1')).lines[0]).toBe(`launch    ${launchId}, connected`);
    expect((await ask('wait', 'davit-api-reached-1')).lines).toEqual([`${launchId}  connected`]);
  });

  test('its log', async () => {
    const log = await ask('logs', 'api-reached-1');

    expect(log).toMatchObject({ exitCode: 0, notes: [] });
    expect(log.lines.join('\n')).toMatch(`davit-${launchId}: `);
  });

  test('several launches that begin so are named', async () => {
    const ambiguous = await ask('show', 'api-reached');

    expect(ambiguous).toMatchObject({ exitCode: 2, lines: [] });
    expect(ambiguous.notes[0]).toMatch(
      /^error launch-ambiguous: 2 launches begin with api-reached: api-reached-2\S+, /,
    );
  });
});

test('doctor finds nothing wrong, and launches on request', async () => {
  const { exitCode, lines, notes } = await ask('doctor', '--config', config, '--deep', 'linux');

  expect(notes).toEqual([]);
  expect(lines.filter((line) => !/^(ok|skipped) /.test(line))).toEqual([]);
  expect(lines.join('\n')).toMatch(/12 rights[^]*would take its Pod[^]*its agent connected after/);
  expect(exitCode).toBe(0);
});

test('doctor names each problem and its remedy', async () => {
  const broken = join(directory, 'broken.yaml');
  const text = await readFile(config, 'utf8');
  await writeFile(
    broken,
    text.replace('namespace: davit-agents', 'namespace: elsewhere').replace('davit-webhook-standard', 'no-such'),
  );

  const { exitCode, lines } = await ask('doctor', '--config', broken, '-o', 'json');

  const findings = z.array(z.looseObject({ verdict: z.string(), what: z.string(), fix: z.string().optional() }));
  const problems = findings.parse(JSON.parse(lines.join('\n'))).filter(({ verdict }) => verdict === 'problem');
  expect(problems.map(({ what }) => what)).toEqual([
    'there is no such namespace',
    expect.stringMatching(/secret no-such: there is none/),
  ]);
  expect(problems.every(({ fix }) => fix !== undefined)).toBe(true);
  expect(exitCode).toBe(1);
});

test('doctor finds nothing wrong before davit runs, and checks the files of secrets', async () => {
  const none = ['doctor', '--config', config, '--state', join(directory, 'none')];
  const secret = join(directory, 'secret');
  await writeFile(secret, 'short\n');

  const before = await run(...none);
  const withFile = await run(...none, '--secret', `davit-webhook-standard=${secret}`);

  expect(before).toMatchObject({ exitCode: 0, notes: [] });
  expect(before.lines.filter((line) => line.startsWith('ok '))).toEqual([expect.stringContaining(config)]);
  expect(before.lines.join('\n')).toMatch(/none runs here yet: davit local[^]*--secret davit-webhook-standard=FILE/);
  expect(withFile.lines.join('\n')).toMatch(/expected whsec_ and base64/);
  expect(withFile.exitCode).toBe(1);
});

test('agents shows the work of each agent, and jobs shows that none is queued', async () => {
  const { launchId } = parsed(await ask('launch', 'linux', '-o', 'json'));
  await ask('wait', launchId, '--timeout', '100s');
  const agents = await ask('agents', '--profile', 'linux');
  const jobs = await ask('jobs');
  await ask('end', launchId);

  expect(agents.lines).toEqual([
    expect.stringMatching(/^AGENT +IS +FOR +PROFILE +CLUSTER +JOB$/),
    expect.stringMatching(/^\S+ +connected +\d+ s +linux +sandbox$/),
  ]);
  expect(jobs).toEqual({ exitCode: 0, lines: [], notes: ['No such job is queued.'] });
});

test('jobs shows the webhooks that were refused', async () => {
  await fetch(`${davit.url}/webhooks/standard`, { method: 'POST', body: '{}' });

  const { exitCode, notes } = await ask('jobs');

  expect(exitCode).toBe(0);
  expect(notes.join('\n')).toMatch(/refused 1 webhook of standard, the last one \d s ago: .*\n {2}→ Compare/);
});

test('sweep --dry-run reports what exists', async () => {
  const { exitCode, lines } = await ask('sweep', '--dry-run');

  expect(lines.at(-1)).toMatch(/looked at \d+ launches and \d+ objects, 0 left$/);
  expect(exitCode).toBe(0);
});

describe('a mistake has an exit code, an error code and advice', () => {
  test.each([
    ['a missing launch', () => ask('show', 'nope'), 3, /^error launch-unknown: /],
    ['an unknown profile', () => ask('launch', 'nope'), 3, /^error profile-unknown: .*It knows: linux\./],
    ['an unknown profile to try', () => ask('doctor', '--config', config, '--deep', 'nope'), 3, /it has linux$/m],
    ['a stack without a region', () => run('list', '--stack', 'Davit'), 2, /^error region-missing: [^]*--region/],
    ['an unknown status', () => ask('list', '--status', 'lost'), 2, /--status/],
    ['a wrong token', () => run('list', '--url', davit.url, '--token', 'x'), 4, /^error http-401: /],
    ['no davit', () => run('list', '--url', 'http://127.0.0.1:9', '--token', 'x'), 5, /^error unreachable: /],
    ['an invalid price', () => ask('console', '--price', 'linux=cheap'), 2, /^error price-invalid: /],
    ['no runtime to show', () => run('console', '--state', join(directory, 'none')), 5, /^error no-runtime: /],
    ['no runtime', () => run('list', '--state', join(directory, 'none')), 5, /^error no-runtime: /],
    ['an unknown option', () => ask('list', '--colour'), 2, /unknown option '--colour'/],
    ['an invalid duration', () => ask('wait', 'x', '--timeout', 'soon'), 2, /Expected a duration/],
    [
      'an existing davit.yaml',
      () => run('init', '--ci', 'standard', '--sandbox', '--config', config),
      2,
      /file-exists/,
    ],
    ['no server', () => run('init', '--config', join(directory, 'new.yaml')), 2, /--ci is required/],
    ['an invalid davit.yaml', () => ask('doctor', '--config', 'package.json'), 2, /^package\.json:1:1: clusters: /],
  ])('%s', async (_what, command, exitCode, words) => {
    const ran = await command();

    expect(ran.exitCode).toBe(exitCode);
    expect(ran.notes.join('\n')).toMatch(words);
    expect(ran.lines).toEqual([]);
  });
});

test("every command has help, and every command of davit's own has examples", async () => {
  const { lines } = await run('--help');
  const names = Array.from(lines.join('\n').matchAll(/^ {2}([a-z-]+) .*\[options/gm), ([, name = '']) => name);
  const own = names.filter((name) => !['demo', 'local', 'rbac', 'github-app', 'complete', 'help'].includes(name));

  expect(own.length).toBeGreaterThan(8);
  for (const name of own) expect((await run(name, '--help')).lines.join('\n')).toMatch(/Examples:\n {2}\$ davit /);
});
