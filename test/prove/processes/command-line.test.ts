import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../../../local/loopback-server.ts';
import { startProgram } from '../../e2e/davit-process.ts';

let directory: string;
let faulty: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'command-line-'));
  faulty = join(directory, 'faulty.yaml');
  await writeFile(faulty, 'clusters: []\nciSystems: []\nprofils: []\n');
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

describe('a mistake is reported in one line, and no process is left', () => {
  const local = 'local/main.ts';
  const demo = 'local/demo/main.ts';
  test.each([
    [local, '--listen nonsense', /^--listen: expected HOST:PORT, for example 127\.0\.0\.1:8080$/],
    [local, 'nonsense', /^Unexpected argument 'nonsense'/],
    [demo, '--launches 0', /^--launches: /],
  ])('%s %s', async (script, args, expected) => {
    const { exitCode, stdout, stderr } = await startProgram(script, args.split(' ')).ended;

    expect(stderr).toEqual([expect.stringMatching(expected)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: [] });
  });

  test('davit.yaml, with each of its mistakes on its own line', async () => {
    const { exitCode, stderr } = await startProgram(local, ['--config', faulty]).ended;

    expect(stderr).toContain(`${faulty}:3:1: unknown key "profils"; did you mean "profiles"?`);
    expect(stderr.every((line) => line.startsWith(faulty))).toBe(true);
    expect(exitCode).toBe(2);
  });

  test('a KUBECONFIG that is not a kubeconfig', async () => {
    const args = ['--state', join(directory, 'state'), '--public-url', 'http://127.0.0.1:1'];

    const { exitCode, stdout, stderr } = await startProgram(local, args, { KUBECONFIG: 'package.json' }).ended;

    expect(stderr).toEqual(['KUBECONFIG package.json: has no current context']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: [] });
  });

  test.each([
    ['--in-cluster: KUBERNETES_SERVICE_HOST is not set, as it is in every Pod', ['--public-url', 'http://davit'], {}],
    ['--public-url is needed with --in-cluster: Pods cannot reach this loopback', [], {}],
    [
      '--in-cluster: KUBECONFIG names another cluster; give further ones by --secret',
      ['--public-url', 'http://davit'],
      { KUBECONFIG: 'package.json' },
    ],
  ])('%s', async (expected, args, env) => {
    const state = ['--state', join(directory, 'state')];

    const { exitCode, stderr } = await startProgram(local, ['--in-cluster', ...args, ...state], env).ended;

    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: [expected] });
  });

  test('a port that is in use', async () => {
    const other = createServer();
    const { port } = await listen(other, 0, '127.0.0.1');
    const args = ['--state', join(directory, 'state'), '--listen', `127.0.0.1:${port}`];

    const { exitCode, stdout, stderr } = await startProgram(local, args).ended;

    other.close();
    expect(stderr).toEqual([
      `listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
      '--listen: name another HOST:PORT, or end what listens there',
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: [] });
  });
});
