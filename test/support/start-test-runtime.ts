import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../config/read-config.ts';
import type { Config } from '../../functions/domain/config.ts';
import { agentImages } from '../../local/agent/image.ts';
import { type CiServer, startCiServer } from '../../local/demo/ci-server.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../local/github/github-webhooks.ts';
import { type SandboxedCluster, type SandboxOptions, startSandbox } from '../../local/runtime/start-cluster.ts';
import { type Runtime, type RuntimeOptions, startRuntime } from '../../local/runtime/start-runtime.ts';
import type { ImageTable } from '../../sandbox/node/image-pull.ts';
import { recordAwsCalls } from './aws-calls.ts';
import { type ClusterHistory, keepHistory } from './cluster-history.ts';
import { createDescribedAnswers } from './described-answers.ts';
import { checkGranted } from './granted-calls.ts';
import { createLaunchesClient, type LaunchesClient } from './launches-client.ts';

/** A complete davit for one test file: runtime, sandbox cluster, GitHub and CI server. */
export interface TestRuntime extends AsyncDisposable {
  config: Config;
  stateDirectory: string;
  cluster: SandboxedCluster;
  /** The sandboxes of `otherClusters`, by name. */
  otherClusters: Readonly<Record<string, SandboxedCluster>>;
  /** The cluster's history since its start. */
  history: ClusterHistory;
  runtime: Runtime;
  launches: LaunchesClient;
  github: GithubWebhooks;
  ci: CiServer;
}

/** The differences from the repository's davit.yaml on an ordinary sandbox. */
export interface TestRuntimeOptions {
  changeConfig?: (config: Config) => Config;
  /** Its images join the reference agent and `davit.dev/idle`. */
  sandbox?: Partial<SandboxOptions>;
  /** Clusters of the config with their own sandbox, and how it differs. */
  otherClusters?: Readonly<Record<string, Partial<SandboxOptions>>>;
  /** As in the runtime's options. */
  onInvoked?: (functionName: string, durationMs: number) => void;
  /** The state machine's text. @default this version's */
  definition?: string;
  /** @default a minute */
  sweepIntervalMs?: number;
  /** @default a minute */
  reconcileIntervalMs?: number;
  /** As in `startRuntime`. @default never: tests count requests to the cluster */
  probeIntervalMs?: number | 'never';
  /** As in `startRuntime`, for tests that kill one function. */
  ownThreads?: NonNullable<RuntimeOptions['ownThreads']>;
  /** As in `startRuntime`. */
  isThrottled?: NonNullable<RuntimeOptions['isThrottled']>;
  /** As in `startRuntime`. */
  secrets?: Readonly<Record<string, string>>;
  /** As in `startRuntime`. */
  aws?: Readonly<Record<string, string>>;
}

/** The `cdk.out` whose bundles run instead of the sources: `npm run prove -- bundles` sets it. */
export const bundles = process.env['DAVIT_TEST_BUNDLES'];

const idleImages: ImageTable = { 'davit.dev/idle': { command: ['sleep', '3600'] } };

/**
 * Starts a davit with the repository's own davit.yaml, in a temporary directory. Disposal throws when a function made
 * an AWS call that its role does not allow, or an answer violates the API's description.
 */
export async function startTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  await using started = new AsyncDisposableStack();
  const asked = recordAwsCalls();
  started.defer(() => checkGranted(asked.calls));
  started.use(asked);
  const answers = createDescribedAnswers();
  started.defer(() => answers.check());
  const stateDirectory = await mkdtemp(join(tmpdir(), 'davit-test-'));
  started.defer(() => rm(stateDirectory, { recursive: true, force: true }));
  const read = await readConfig('davit.yaml');
  const config = options.changeConfig?.(read) ?? read;
  const ci = await startCiServer();
  started.defer(() => ci.stop());
  const images = { ...agentImages(ci.url), ...idleImages, ...options.sandbox?.images };
  const sandbox = started.use(await startSandbox(config, stateDirectory, { ...options.sandbox, images }));
  const otherClusters: Record<string, SandboxedCluster> = {};
  for (const [name, other] of Object.entries(options.otherClusters ?? {})) {
    const directory = join(stateDirectory, `cluster-${name}`);
    const otherImages = { ...images, ...other.images };
    otherClusters[name] = started.use(await startSandbox(config, directory, { ...other, images: otherImages }));
  }
  const cluster = { ...sandbox, byName: otherClusters };
  const { probeIntervalMs = 'never' } = options;
  const { definition, sweepIntervalMs, reconcileIntervalMs, secrets, onInvoked, aws, ownThreads } = options;
  const { isThrottled } = options;
  const given = {
    probeIntervalMs,
    ...(bundles === undefined ? {} : { bundles }),
    ...(definition === undefined ? {} : { definition }),
    ...(onInvoked === undefined ? {} : { onInvoked }),
    ...(sweepIntervalMs === undefined ? {} : { sweepIntervalMs }),
    ...(reconcileIntervalMs === undefined ? {} : { reconcileIntervalMs }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(ownThreads === undefined ? {} : { ownThreads }),
    ...(aws === undefined ? {} : { aws }),
    ...(isThrottled === undefined ? {} : { isThrottled }),
  };
  const history = started.use(keepHistory(cluster.sandbox));
  const runtime = started.use(
    await startRuntime({ config, cluster, stateDirectory, onAnswer: answers.onAnswer, ...given }),
  );
  const secret = await runtime.webhookSecret('github');
  const github = createGithubWebhooks(`${runtime.url}/webhooks/github`, secret);
  const launches = createLaunchesClient(runtime.url, runtime.launchesToken);
  const running = started.move();
  const dispose = () => running.disposeAsync();
  const clusters = { cluster, otherClusters };
  return {
    config,
    stateDirectory,
    ...clusters,
    history,
    runtime,
    launches,
    github,
    ci,
    [Symbol.asyncDispose]: dispose,
  };
}
