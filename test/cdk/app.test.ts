import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appContext, ContextError, reservedConcurrencyOf } from '../../cdk/app-context.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { newFolder } from '../support/new-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = newFolder();

/** Runs the app as `cdk synth` does, without bundling. */
function runApp(configPath: string) {
  const context = { config: configPath, 'aws:cdk:bundling-stacks': [] };
  return spawnSync(process.execPath, ['cdk/app.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CDK_OUTDIR: join(folder, 'cdk.out'), CDK_CONTEXT_JSON: JSON.stringify(context) },
  });
}

test("a mistake in davit.yaml stops the synthesis with the local runtime's error message, and nothing else", async () => {
  const path = join(folder, 'davit.yaml');
  writeFileSync(path, 'clusters: []\nprofiles: []\nwebhoks: []\n');
  const said = await readConfig(path).catch((error: unknown) => error);

  const { status, stderr } = runApp(path);

  expect({ status, stderr }).toEqual({ status: 1, stderr: `${(said as Error).message}\n` });
  expect(stderr).toContain('webhoks');
});

test.each([
  [{ vpcId: 'my-vpc' }, /^-c vpcId: expected vpc- and its number$/],
  [{ domainName: 'davit.example.com' }, /^-c domainName: expected the certificate with it, and the other way round$/],
  [{ createConcurrency: 'many' }, /^-c createConcurrency: .*$/],
  [{ answerConcurrency: '0' }, /^-c answerConcurrency: .*$/],
])('the context %j is refused', (context, expected) => {
  const values = new Map<string, unknown>(Object.entries(context));

  expect(() => appContext((key) => values.get(key))).toThrow(ContextError);
  expect(() => appContext((key) => values.get(key))).toThrow(expected);
});

test.each([
  [{}, {}],
  [{ createConcurrency: 50 }, { 'create-service': 50, 'create-pod': 50 }],
  [
    { createConcurrency: 50, answerConcurrency: 20 },
    { 'create-service': 50, 'create-pod': 50, webhook: 20, connect: 20 },
  ],
])('the context %j reserves %j', (context, expected) => {
  expect(reservedConcurrencyOf(context)).toEqual(expected);
});
