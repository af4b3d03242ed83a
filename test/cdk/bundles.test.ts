import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { bundleFile, bundleFunctions, rootFolder } from '../../cdk/bundling.ts';
import { functionNames, functionPermissions, reachesClusters } from '../../cdk/function-permissions.ts';
import { readConfig } from '../../core/config/read-config.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { newFolder } from '../support/new-folder.ts';

interface Bundle {
  bytes: number;
  /** The modules that it imports at run time. */
  imports: string[];
  /** The source files that contribute to it. */
  files: string[];
}

const target = newFolder();
const bundles = new Map<FunctionName, Bundle>();

beforeAll(async () => {
  const config = await readConfig(join(rootFolder, 'davit.yaml'));
  const { outputs } = bundleFunctions(functionNames, config, target);
  for (const functionName of functionNames) {
    const output = Object.entries(outputs).find(([path]) => path.endsWith(`/${functionName}/${bundleFile}`))?.[1];
    if (output === undefined) throw new Error(`${functionName} has no bundle`);
    const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    bundles.set(functionName, {
      bytes: output.bytes,
      imports: [...new Set(output.imports.map(({ path }) => path))],
      files: used.map(([path]) => path),
    });
  }
});

function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}

function bundleOf(name: FunctionName): Bundle {
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`${name} was not bundled`);
  return bundle;
}

/** The adapters for the services that a function's role may call. */
function callersOf(name: FunctionName): string[] {
  const {
    launches,
    tokens,
    clusters,
    secrets,
    executions,
    jobs,
    slots,
    events,
    invokes = [],
  } = functionPermissions[name];
  const callers = {
    'create-dynamo-cluster-states.ts': clusters !== undefined,
    'create-dynamo-jobs.ts': jobs?.includes('QueryIndex') === true || ['clean-up', 'connect'].includes(name),
    'create-dynamo-lost-jobs.ts': jobs?.includes('Query') === true || name === 'clean-up',
    'create-dynamo-request-pace.ts': ['register-runner', 'retire-runner', 'report-to-ci', 'reconcile'].includes(name),
    'create-dynamo-slots.ts': slots !== undefined,
    'create-dynamo-told-jobs.ts': ['reconcile', 'report-to-ci'].includes(name),
    'create-event-bus.ts': events === true,
    'create-registrar.ts': invokes.includes('register-runner'),
    'create-secrets.ts': secrets !== undefined,
    'create-sfn-executions.ts': executions !== undefined,
    'describe-eks-cluster.ts': reachesClusters(name),
    'dynamo-table.ts': [launches, tokens, jobs, clusters].some((table) => table !== undefined),
    'invoke-later.ts': invokes.length > 0,
  };
  return Object.entries(callers).flatMap(([file, isNeeded]) => (isNeeded ? [file] : []));
}

const allCallers = new Set(functionNames.flatMap(callersOf));

/**
 * A tenth above the size of the clients, minified: a client that no function calls exceeds the limit. Kubernetes'
 * client has a model of each of its objects, 1 MiB, and undici, 0.5 MiB.
 */
const mostKib: Record<FunctionName, number> = {
  webhook: 510,
  launches: 460,
  clusters: 310,
  jobs: 320,
  connect: 450,
  'describe-api': 150,
  'register-runner': 425,
  'retire-runner': 535,
  'report-to-ci': 415,
  admit: 350,
  'create-service': 2080,
  'poll-node-port': 2080,
  'create-pod': 2100,
  'poll-host-ip': 2100,
  'publish-token': 2100,
  relaunch: 2090,
  'clean-up': 2100,
  sweep: 2240,
  reconcile: 700,
  'poll-ci': 640,
  probe: 2070,
  'publish-events': 440,
};

describe.each(functionNames)('the bundle of %s', (name) => {
  test(`is at most ${mostKib[name]} KiB`, () => {
    expect(bundleOf(name).bytes / 1024).toBeLessThan(mostKib[name]);
  });

  test('has the adapters of the services that its role may call, and no others', () => {
    const adapters = bundleOf(name).files.map((path) => /^adapters\/aws\/(.+)/.exec(path)?.[1] ?? '');

    expect(adapters.filter((file) => allCallers.has(file)).toSorted()).toEqual(callersOf(name));
  });

  test('leaves out credential providers that a Lambda does not need', () => {
    const chain = /^@aws-sdk\/(credential-provider|nested-clients|token-providers)/;
    const packages = new Set(bundleOf(name).files.map((path) => packageOf(path) ?? ''));

    expect([...packages].filter((each) => chain.test(each))).toEqual([]);
  });

  test('has no schemas of davit.yaml, which was checked when it was bundled', () => {
    const schemas = [
      'core/config/config',
      'core/config/profile',
      'core/ci/ci-system-config',
      'core/limits/agent-limit',
      'core/agent/sizes',
      'core/agent/pod-template',
      'ci/github/config',
      'ci/gitea/config',
      'ci/jenkins/config',
      'ci/standard-webhooks/config',
    ];
    // The file of warm agents has this one, and reconcile has no caller who waits.
    const inWarmAgents = name === 'reconcile' ? ['core/limits/agent-limit'] : [];
    const files = new Set(bundleOf(name).files);

    expect(schemas.filter((file) => files.has(`${file}.ts`))).toEqual(inWarmAgents);
  });

  test("has only zod's functional half", () => {
    expect(bundleOf(name).files.filter((path) => path.includes('/zod/v4/classic/'))).toEqual([]);
  });

  test('imports nothing but modules of Node, and not node:http by name, which is slow', () => {
    const { imports } = bundleOf(name);

    expect(imports.filter((path) => !isBuiltin(path))).toEqual([]);
    expect(imports.filter((path) => path === 'node:http')).toEqual([]);
  });
});
