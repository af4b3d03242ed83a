import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { agentImages } from '../../local/agent/image.ts';
import { type CiServer, startCiServer } from '../../local/demo/ci-server.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../local/github/github-webhooks.ts';
import { type SandboxedCluster, type SandboxOptions, startSandbox } from '../../local/runtime/start-cluster.ts';
import { type Runtime, type RuntimeOptions, startRuntime } from '../../local/runtime/start-runtime.ts';
import type { ImageTable } from '../../sandbox/node/image-pull.ts';
import { checkTrace } from './check-trace.ts';
import { type ClusterHistory, keepHistory } from './cluster-history.ts';
import { createDescribedAnswers } from './described-answers.ts';
import { createLaunchesClient, type LaunchesClient } from './launches-client.ts';

/** A complete davit for one test file: runtime, sandbox cluster, GitHub and CI server. */
export interface TestRuntime<Started extends Runtime = Runtime> extends AsyncDisposable {
  config: Config;
  stateDirectory: string;
  cluster: SandboxedCluster;
  /** The sandboxes of `otherClusters`, by name. */
  otherClusters: Readonly<Record<string, SandboxedCluster>>;
  history: ClusterHistory;
  runtime: Started;
  launches: LaunchesClient;
  github: GithubWebhooks;
  ci: CiServer;
}

/** The differences from the repository's davit.yaml on an ordinary sandbox. */
export interface TestRuntimeOptions
  extends Pick<
    RuntimeOptions,
    | 'definition'
    | 'onAnswer'
    | 'onInvoked'
    | 'onReconciled'
    | 'probeIntervalMs'
    | 'reconcileIntervalMs'
    | 'secrets'
    | 'sweepIntervalMs'
  > {
  changeConfig?: (config: Config) => Config;
  /** Its images join the reference agent and `davit.dev/idle`. */
  sandbox?: Partial<SandboxOptions>;
  /** Clusters of the config with their own sandbox, and how it differs. */
  otherClusters?: Readonly<Record<string, Partial<SandboxOptions>>>;
}

/** The `cdk.out` whose bundles every davit of a test runs, on emulators of AWS: `npm run prove -- bundles` sets it. */
export const bundles = process.env['DAVIT_TEST_BUNDLES'];

const idleImages: ImageTable = { 'davit.dev/idle': { command: ['sleep', '3600'] } };

/**
 * Starts a davit with the repository's own davit.yaml, in a temporary directory and in this process. It does not probe its
 * clusters unless a test says so: tests count requests. Disposal throws when an answer violates the API's description, or a step
 * the protocol.
 */
export async function startTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  if (bundles === undefined) return startTestDavit(options, startRuntime);
  const { startAwsTestRuntime } = await import('./start-aws-test-runtime.ts');
  return startAwsTestRuntime(options);
}

/** Starts a davit by this function, and its surroundings. */
export async function startTestDavit<Started extends Runtime>(
  options: TestRuntimeOptions,
  start: (options: RuntimeOptions) => Promise<Started>,
): Promise<TestRuntime<Started>> {
  await using started = new AsyncDisposableStack();
  const answers = createDescribedAnswers();
  started.defer(() => answers.check());
  const stateDirectory = await mkdtemp(join(tmpdir(), 'davit-test-'));
  started.defer(() => rm(stateDirectory, { recursive: true, force: true }));
  started.defer(async () => void (await checkTrace(stateDirectory)));
  const { changeConfig, sandbox: sandboxOptions, otherClusters: others = {}, ...given } = options;
  const read = await readConfig('davit.yaml');
  const config = changeConfig?.(read) ?? read;
  const ci = await startCiServer();
  started.defer(() => ci.stop());
  const images = { ...agentImages(ci.url), ...idleImages, ...sandboxOptions?.images };
  const sandbox = started.use(await startSandbox(config, stateDirectory, { ...sandboxOptions, images }));
  const otherClusters: Record<string, SandboxedCluster> = {};
  for (const [name, other] of Object.entries(others)) {
    const directory = join(stateDirectory, `cluster-${name}`);
    const otherImages = { ...images, ...other.images };
    otherClusters[name] = started.use(await startSandbox(config, directory, { ...other, images: otherImages }));
  }
  const cluster = { ...sandbox, byName: otherClusters };
  const history = started.use(keepHistory(cluster.sandbox));
  const { onAnswer } = answers;
  const runtime = started.use(
    await start({ config, cluster, stateDirectory, onAnswer, probeIntervalMs: 'never', ...given }),
  );
  const secret = await runtime.webhookSecret('github');
  const github = createGithubWebhooks(`${runtime.url}/webhooks/github`, secret);
  const launches = createLaunchesClient(runtime.url, runtime.launchesToken);
  const running = started.move();
  const dispose = () => running.disposeAsync();
  const surroundings = { config, stateDirectory, cluster, otherClusters, history, github, ci };
  return { ...surroundings, runtime, launches, [Symbol.asyncDispose]: dispose };
}
