import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { appContext, ContextError } from '../../cdk/app-context.ts';
import { readConfig } from '../../config/read-config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'davit-app-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the app as `cdk synth` does, but for the bundling. */
function runApp(configPath: string, more: Record<string, unknown> = {}) {
  const context = { config: configPath, ...more, 'aws:cdk:bundling-stacks': [] };
  return spawnSync(process.execPath, ['cdk/app.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CDK_OUTDIR: join(folder, 'cdk.out'), CDK_CONTEXT_JSON: JSON.stringify(context) },
  });
}

test("the repository's own davit.yaml is synthesised, with no account and no network", () => {
  const { status, stderr } = runApp('davit.yaml');

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('a mistake in davit.yaml stops the synthesis in the words of the local runtime, and no others', async () => {
  const path = join(folder, 'davit.yaml');
  writeFileSync(path, 'clusters: []\nprofiles: []\nwebhoks: []\n');
  const said = await readConfig(path).catch((error: unknown) => error);

  const { status, stderr } = runApp(path);

  expect({ status, stderr }).toEqual({ status: 1, stderr: `${(said as Error).message}\n` });
  expect(stderr).toContain('webhoks');
});

test('a context that makes no sense is told in a line', () => {
  const { status, stderr } = runApp('davit.yaml', { vpcId: 'my-vpc' });

  expect({ status, stderr }).toEqual({ status: 1, stderr: '-c vpcId: expected vpc- and its number\n' });
});

test.each([
  [{ domainName: 'davit.example.com' }, /^-c domainName: expected certificateArn with it, and the other way round$/],
  [{ createConcurrency: 'many' }, /^-c createConcurrency: .*$/],
])('the context %j is refused', (context, expected) => {
  const values = new Map<string, unknown>(Object.entries(context));

  expect(() => appContext((key) => values.get(key))).toThrow(ContextError);
  expect(() => appContext((key) => values.get(key))).toThrow(expected);
});
