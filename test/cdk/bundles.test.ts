import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { bundleFile, bundleFunction, rootFolder } from '../../cdk/bundling.ts';
import { functionNames, functionPermissions, reachesClusters } from '../../cdk/function-permissions.ts';
import { readConfig } from '../../config/read-config.ts';
import type { FunctionName } from '../../functions/manifest.ts';

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
  const { launches, tokens, secrets, executions, cleanUps, registrations, retirements, jobs, events } =
    functionPermissions[name];
  const callers = {
    'create-dynamo-jobs.ts': jobs !== undefined,
    'create-event-bus.ts': events === true,
    // It has the client of Lambda, too.
    'create-lambda-clean-ups.ts': cleanUps === true || registrations === true || retirements === true,
    'create-lambda-registrar.ts': registrations === true,
    'create-lambda-retirements.ts': retirements === true,
    'create-secrets.ts': secrets !== undefined,
    'create-sfn-executions.ts': executions !== undefined,
    'describe-eks-cluster.ts': reachesClusters(name),
    'dynamo-table.ts': launches !== undefined || tokens !== undefined,
  };
  return Object.entries(callers).flatMap(([file, isNeeded]) => (isNeeded ? [file] : []));
}

const allCallers = new Set(functionNames.flatMap(callersOf));

/**
 * A tenth above what the clients take, minified: a client that no function calls is more. Kubernetes' client brings a
 * model of each of its objects, 1 MiB, and undici, 0.5 MiB.
 */
const mostKib: Record<FunctionName, number> = {
  webhook: 480,
  launches: 480,
  connect: 460,
  'register-runner': 480,
  'retire-runner': 560,
  'create-service': 2100,
  'poll-node-port': 2100,
  'create-pod': 2100,
  'poll-host-ip': 2100,
  'publish-token': 320,
  'await-agent': 2100,
  relaunch: 2100,
  'clean-up': 2100,
  sweep: 2250,
  reconcile: 640,
  'publish-events': 360,
};

describe.each(functionNames)('the bundle of %s', (name) => {
  test(`is at most ${mostKib[name]} KiB`, () => {
    expect(bundleOf(name).bytes / 1024).toBeLessThan(mostKib[name]);
  });

  test('has what calls the services that its role may call, and no others', () => {
    const adapters = bundleOf(name).files.map((path) => /^functions\/adapters\/aws\/(.+)/.exec(path)?.[1] ?? '');

    expect(adapters.filter((file) => allCallers.has(file)).toSorted()).toEqual(callersOf(name));
  });

  test('does not look for credentials where a Lambda has none', () => {
    const chain = /^@aws-sdk\/(credential-provider|nested-clients|token-providers)/;
    const packages = new Set(bundleOf(name).files.map((path) => packageOf(path) ?? ''));

    expect([...packages].filter((each) => chain.test(each))).toEqual([]);
  });

  test("has zod's functional half only", () => {
    expect(bundleOf(name).files.filter((path) => path.includes('/zod/v4/classic/'))).toEqual([]);
  });

  test('imports nothing but modules of Node, and not node:http by name, which is slow', () => {
    const { imports } = bundleOf(name);

    expect(imports.filter((path) => !isBuiltin(path))).toEqual([]);
    expect(imports.filter((path) => path === 'node:http')).toEqual([]);
  });
});
