import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { oldestMinor, testedMinors } from '../../../cli/conformance/checks/version.ts';
import { runCli } from '../../../cli/run-cli.ts';
import type { DenyRule } from '../../../sandbox/api/access.ts';
import { type SandboxCluster, startSandboxCluster } from '../../../sandbox/sandbox-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { kubeconfigOf } from '../../support/fake-api-server.ts';
import { freePort } from '../../support/free-port.ts';
import { newFolder } from '../../support/new-folder.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';

const Report = z.object({
  version: z.string().optional(),
  checks: z.array(
    z.object({ name: z.string(), reliesOn: z.string(), verdict: z.string(), found: z.string(), thenDavit: z.string() }),
  ),
});

const namespace = 'checks';
const directory = newFolder();

async function startSandbox(denied: DenyRule[] = []): Promise<SandboxCluster> {
  const sandbox = await startSandboxCluster({ namespace, denied, node: { stateDirectory: directory, images: {} } });
  sandbox.store.create('resourcequotas', {
    metadata: { name: 'few', namespace },
    spec: { hard: { 'requests.cpu': '4' } },
  });
  return sandbox;
}

async function run(kubeconfig: string, args: readonly string[] = [], signal?: AbortSignal) {
  const path = join(directory, 'kubeconfig');
  await writeFile(path, kubeconfig);
  const terminal = recordingTerminal({ KUBECONFIG: path }, signal);
  const exitCode = await runCli(['conformance', '--state', directory, ...args], terminal);
  return { exitCode, lines: terminal.lines, notes: terminal.notes };
}

async function report(sandbox: SandboxCluster) {
  const { lines, exitCode } = await run(sandbox.kubeconfig, ['--namespace', namespace, '-o', 'json']);
  return { ...Report.parse(JSON.parse(lines.join('\n'))), exitCode };
}

/** The names of the objects that are left of the checks. */
function leftIn({ store }: SandboxCluster): string[] {
  return (['pods', 'services'] as const).flatMap((kind) => store.list(kind).map(({ metadata }) => metadata.name));
}

describe('davit conformance on the sandbox', () => {
  let sandbox: SandboxCluster;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());
  afterEach(() => sandbox.faults.clear());

  test('says that everything holds which can be checked, leaves nothing, and exits with 0', async () => {
    const { version, checks, exitCode } = await report(sandbox);

    expect(version).toMatch(/^v1\.\d+\.\d+/);
    expect(checks.filter(({ verdict }) => verdict !== 'held')).toEqual([
      expect.objectContaining({ name: 'admission', verdict: 'not-checked' }),
    ]);
    expect(exitCode).toBeUndefined();
    expect(leftIn(sandbox)).toEqual([]);
  });

  test('says what does not hold and what davit does then, and exits with 1', async () => {
    sandbox.faults.add({
      match: { verb: 'watch' },
      effect: { kind: 'answer', answer: { code: 500, reason: 'InternalError', message: 'no watch today' } },
    });

    const { lines, notes, exitCode } = await run(sandbox.kubeconfig, ['--namespace', namespace, '--wait', '30s']);

    const at = lines.findIndex((line) => line.startsWith('not held     watch-expiry: '));
    expect(lines.slice(at + 1, at + 3)).toEqual([
      '             500 no watch today',
      expect.stringMatching(/^ {13}→ then davit reads the object again after 10 s of silence/),
    ]);
    expect(notes[0]).toMatch(/^error not-held: the cluster does not hold: .*watch-expiry/);
    expect(exitCode).toBe(1);
    expect(leftIn(sandbox)).toEqual([]);
  });

  test('gives its objects no label by which davit knows its own', async () => {
    const labels: object[] = [];
    const unsubscribe = sandbox.store.changes.subscribe(({ resource, object }) => {
      if (resource === 'pods' || resource === 'services') labels.push(object.metadata.labels ?? {});
    });

    await report(sandbox);
    unsubscribe();

    expect(new Set(labels.flatMap((each) => Object.keys(each)))).toEqual(new Set(['davit.dev/conformance']));
  });

  test('removes its objects after Ctrl-C, and exits with 130', async () => {
    const interrupted = new AbortController();
    sandbox.faults.add({ match: { verb: 'get', resource: 'services' }, effect: { kind: 'delay', delayMs: 300 } });
    sandbox.faults.onRequest(({ verb, resource }) => {
      if (verb === 'get' && resource === 'services') interrupted.abort();
    });

    const { exitCode, notes } = await run(sandbox.kubeconfig, ['--namespace', namespace], interrupted.signal);

    expect(exitCode).toBe(130);
    expect(notes).toContain("removing the checks' objects …");
    expect(leftIn(sandbox)).toEqual([]);
  });

  test('removes an object whose create had no answer', async () => {
    sandbox.faults.add({
      match: { verb: 'create', resource: 'services' },
      effect: { kind: 'drop', when: 'after' },
      count: 1,
    });

    const { checks } = await report(sandbox);

    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'owner-references', found: expect.stringMatching(/^no answer: /) }),
    );
    expect(leftIn(sandbox)).toEqual([]);
  });

  test('names an object that it may not remove, with the command that does', async () => {
    sandbox.faults.add({
      match: { verb: 'delete', resource: 'services' },
      effect: { kind: 'answer', answer: { code: 403, reason: 'Forbidden', message: 'not today' } },
    });

    const { exitCode, notes, lines } = await run(sandbox.kubeconfig, ['--namespace', namespace, '--wait', '30s']);

    const [name = ''] = leftIn(sandbox);
    expect(exitCode).toBe(1);
    expect(lines.join('\n')).toMatch(/not held +removal: .*\n.*not today/);
    expect(notes).toContain(`left behind: services/${name}: not today; kubectl -n checks delete services ${name}`);
    for (const left of leftIn(sandbox)) sandbox.store.delete('services', namespace, left, {});
    await eventually(() => expect(leftIn(sandbox)).toEqual([]));
  });
});

test('a caller without a right is told which one each check needs', async () => {
  await using sandbox = await startSandbox([
    { verb: 'create', resource: 'services' },
    { resource: 'resourcequotas' },
    { resource: 'nodes' },
    { resource: 'namespaces' },
    { subresource: 'eviction' },
  ]);

  const { checks, exitCode } = await report(sandbox);

  const needs = checks.filter(({ verdict }) => verdict !== 'held').map(({ name, found }) => `${name}: ${found}`);
  expect(needs).toEqual([
    'owner-references: needs: create services in checks',
    'node-port: needs: create services in checks',
    'node-port-taken: needs: create services in checks',
    expect.stringMatching(/^admission: needs a namespace .*; the caller may not read the namespace's labels$/),
    'quota: needs: list resourcequotas in checks',
    'eviction: needs: create pods/eviction in checks',
  ]);
  expect(checks.find(({ name }) => name === 'access-reviews')?.found).toMatch(/get nodes: not allowed/);
  expect(exitCode).toBeUndefined();
});

test('a caller who may create nothing gets no result about removals', async () => {
  await using sandbox = await startSandbox([{ verb: 'create' }]);

  const { checks } = await report(sandbox);

  expect(checks.at(-1)).toMatchObject({ name: 'removal', verdict: 'not-checked' });
  expect(checks.filter(({ verdict }) => verdict === 'not-held')).toEqual([]);
});

test.each([
  ['no namespace of this name', ['--namespace', 'missing'], 2, 'namespace-missing'],
  ['no context of this name', ['--namespace', namespace, '--context', 'x'], 2, 'context-missing'],
  ['no such kubeconfig', ['--namespace', namespace, '--kubeconfig', '/nowhere'], 2, 'kubeconfig-invalid'],
  ['no --namespace', [], 2, undefined],
])('where there is %s, nothing is made', async (_what, args, expected, code) => {
  await using sandbox = await startSandbox();

  const { exitCode, notes, lines } = await run(sandbox.kubeconfig, args);

  expect(exitCode).toBe(expected);
  expect(notes[0]).toMatch(code === undefined ? /required option '--namespace <name>'/ : `error ${code}: `);
  expect(lines).toEqual([]);
  expect(sandbox.faults.count({ verb: 'create' })).toBe(0);
});

test('a cluster that does not answer, and a credential that it refuses, are errors of their own', async () => {
  await using sandbox = await startSandbox();
  const unknown = sandbox.kubeconfig.replace(/token: .*/, 'token: unknown');
  const nobody = kubeconfigOf(`http://127.0.0.1:${await freePort('127.0.0.1')}`);

  const unauthorized = await run(unknown, ['--namespace', namespace]);
  const unreachable = await run(nobody, ['--namespace', namespace]);

  expect(unauthorized).toMatchObject({ exitCode: 4, notes: [expect.stringMatching(/^error cluster-unauthorized: /)] });
  expect(unreachable.exitCode).toBe(5);
  expect(unreachable.notes[0]).toMatch(/^error cluster-unreachable: .*ECONNREFUSED/);
});

test('the versions are those that docs/compatibility.md lists', () => {
  const document = readFileSync('docs/compatibility.md', 'utf8');

  const kubernetes = document.slice(document.indexOf('## Kubernetes'), document.indexOf('## GitHub'));
  const tested = [...kubernetes.matchAll(/^\| 1\.(\d+) \| tested:/gm)].map(([, minor]) => Number(minor));
  expect(tested).toEqual(testedMinors);
  expect(kubernetes).toContain(`| before 1.${oldestMinor} | read: leave the policy out.`);
});
