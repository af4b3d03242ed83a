import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { runCli } from '../../../../cli/run-cli.ts';
import { openApi } from '../../../contract/api-client.ts';
import { recordingTerminal } from '../../../support/recording-terminal.ts';
import { createDavitAccount } from '../davit-account.ts';
import { idleImage } from '../images/images.ts';
import { openTestCluster } from '../test-cluster.ts';

const Report = z.object({
  version: z.string(),
  checks: z.array(z.object({ name: z.string(), verdict: z.string(), found: z.string() })),
});
const Objects = z.object({ items: z.array(z.unknown()) });

const cluster = await openTestCluster();
/** As `davit rbac` prints it: with a quota and a Pod Security level, so that each check finds there what it needs. */
const namespace = 'davit-conformance';

const admin = openApi(cluster.kubeconfig);
const account = await createDavitAccount(cluster, admin, namespace);
const directory = await mkdtemp(join(tmpdir(), 'davit-conformance-'));
afterAll(async () => {
  await admin.send(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
  admin[Symbol.dispose]();
  await rm(directory, { recursive: true });
});

/** Runs the command as a person does. @returns its exit code, and its results by the verdict */
async function conformance(kubeconfig: string, ...args: string[]) {
  const path = join(directory, 'kubeconfig');
  await writeFile(path, kubeconfig);
  const terminal = recordingTerminal();
  const where = ['--kubeconfig', path, '--namespace', namespace];
  const exitCode = await runCli(['conformance', ...where, '-o', 'json', ...args], terminal);
  const { version, checks } = Report.parse(JSON.parse(terminal.lines.join('\n')));
  const linesOf = (wanted: string) =>
    checks.filter(({ verdict }) => verdict === wanted).map(({ name, found }) => `${name}: ${found}`);
  return { exitCode, version, notHeld: linesOf('not-held'), notChecked: linesOf('not-checked') };
}

async function left(): Promise<unknown[]> {
  const lists = ['pods', 'services'].map((kind) =>
    admin.send(`/api/v1/namespaces/${namespace}/${kind}?labelSelector=davit.dev%2Fconformance`),
  );
  return (await Promise.all(lists)).flatMap(({ body }) => Objects.parse(body).items);
}

test('a real cluster holds all that davit relies on, and has nothing of the checks afterwards', async () => {
  const { exitCode, version, notHeld, notChecked } = await conformance(cluster.kubeconfig, '--image', idleImage);

  expect(version).toMatch(/^v1\.\d+\.\d+/);
  expect({ notHeld, notChecked }).toEqual({ notHeld: [], notChecked: [] });
  expect(exitCode).toBeUndefined();
  expect(await left()).toEqual([]);
});

test('no check needs its image to start', async () => {
  const { notHeld, notChecked } = await conformance(cluster.kubeconfig, '--image', 'davit.dev/nowhere:1');

  expect({ notHeld, notChecked }).toEqual({ notHeld: [], notChecked: [] });
});

test("davit's own Role allows the checks of its Pods, and each other check says what it needs", async () => {
  const { exitCode, notHeld, notChecked } = await conformance(account.kubeconfig);

  const policy = /ValidatingAdmissionPolicy 'davit-services'/;
  expect(notHeld).toEqual([]);
  expect(notChecked).toEqual([
    expect.stringMatching(new RegExp(`^owner-references: .*${policy.source}`)),
    expect.stringMatching(new RegExp(`^node-port: .*${policy.source}`)),
    expect.stringMatching(new RegExp(`^node-port-taken: .*${policy.source}`)),
    `quota: needs: list resourcequotas in ${namespace}`,
    `eviction: needs: create pods/eviction in ${namespace}`,
  ]);
  expect(exitCode).toBeUndefined();
  expect(await left()).toEqual([]);
});
