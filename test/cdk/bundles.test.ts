import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { bundleFile, bundleFunction, rootFolder, yamlFile } from '../../cdk/bundling.ts';
import { functionNames, functionNeeds, reachesClusters } from '../../cdk/function-needs.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { readConfig } from '../../local/config/read-config.ts';
import { runProcess } from '../../scripts/run-process.ts';

jest.setTimeout(120_000);

interface Bundle {
  bytes: number;
  /** What it imports when it runs. */
  imports: string[];
  /** The files of which something is in it. */
  files: string[];
}

const target = mkdtempSync(join(tmpdir(), 'davit-bundles-'));
const bundles = new Map<FunctionName, Bundle>();

beforeAll(async () => {
  const config = await readConfig(join(rootFolder, 'davit.yaml'));
  for (const functionName of functionNames) {
    const { outputs } = bundleFunction({ functionName, config }, join(target, functionName));
    const output = Object.entries(outputs).find(([path]) => path.endsWith(bundleFile))?.[1];
    if (output === undefined) throw new Error(`${functionName} has no bundle`);
    const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    bundles.set(functionName, {
      bytes: output.bytes,
      imports: [...new Set(output.imports.map(({ path }) => path))],
      files: used.map(([path]) => path),
    });
  }
});
afterAll(() => rmSync(target, { recursive: true }));

function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}

function bundleOf(name: FunctionName): Bundle {
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`${name} was not bundled`);
  return bundle;
}

/** What calls the services that a function's role may call. */
function callersOf(name: FunctionName): string[] {
  const { launches, tokens, secrets, executions, cleanUps, events } = functionNeeds[name];
  const callers = {
    'create-event-bus.ts': events === true,
    'create-lambda-clean-ups.ts': cleanUps === true,
    'create-secrets.ts': secrets !== undefined,
    'create-sfn-executions.ts': executions !== undefined,
    'describe-eks-cluster.ts': reachesClusters(name),
    'dynamo-table.ts': launches !== undefined || tokens !== undefined,
  };
  return Object.entries(callers).flatMap(([file, isNeeded]) => (isNeeded ? [file] : []));
}

const allCallers = new Set(functionNames.flatMap(callersOf));

const mostKib: Record<FunctionName, number> = {
  webhook: 150,
  launches: 150,
  connect: 150,
  'create-service': 175,
  'poll-node-port': 175,
  'create-pod': 175,
  'poll-host-ip': 175,
  'publish-token': 120,
  'await-agent': 175,
  relaunch: 175,
  'clean-up': 175,
  sweep: 185,
  announce: 130,
};

describe.each(functionNames)('the bundle of %s', (name) => {
  test(`is at most ${mostKib[name]} KiB`, () => {
    expect(bundleOf(name).bytes / 1024).toBeLessThan(mostKib[name]);
  });

  test('has what calls the services that its role may call, and no others', () => {
    const adapters = bundleOf(name).files.map((path) => /^functions\/adapters\/aws\/(.+)/.exec(path)?.[1] ?? '');

    expect(adapters.filter((file) => allCallers.has(file)).toSorted()).toEqual(callersOf(name));
  });

  test('has no client of Kubernetes or of AWS but davit’s own', () => {
    const unwanted = /^(@kubernetes\/|@aws-sdk\/(?!util-dynamodb$)|@smithy\/(?!core$|signature-v4$))/;
    const packages = new Set(bundleOf(name).files.map((path) => packageOf(path) ?? ''));

    expect([...packages].filter((each) => unwanted.test(each))).toEqual([]);
  });

  test('has zod’s functional half only', () => {
    expect(bundleOf(name).files.filter((path) => path.includes('/zod/v4/classic/'))).toEqual([]);
  });

  test('imports nothing but modules of Node, and none that are slow to be imported by name', () => {
    const { imports } = bundleOf(name);

    const beside = reachesClusters(name) ? [`./${yamlFile}`] : [];
    expect(imports.filter((path) => !isBuiltin(path))).toEqual(beside);
    expect(imports.filter((path) => ['node:http', 'node:process'].includes(path))).toEqual([]);
  });
});

test('the file beside a bundle parses YAML, from a folder with nothing else in reach', async () => {
  const file = pathToFileURL(join(target, 'create-pod', yamlFile)).href;
  const script = `const { parse } = await import('${file}'); console.log(JSON.stringify(parse('a: [1, {b: c}]')));`;

  const { output } = await runProcess(process.execPath, ['--input-type=module', '--eval', script], { cwd: tmpdir() });

  expect(output.trim()).toBe('{"a":[1,{"b":"c"}]}');
});
