import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../config/read-config.ts';
import type { Config } from '../../functions/domain/config.ts';
import { agentImages } from '../../local/agent/image.ts';
import { type CiServer, startCiServer } from '../../local/demo/ci-server.ts';
import { createGithubServer, type GithubServer } from '../../local/demo/github-server.ts';
import { type SandboxedCluster, type SandboxOptions, startSandbox } from '../../local/runtime/start-cluster.ts';
import { type Runtime, startRuntime } from '../../local/runtime/start-runtime.ts';
import type { ImageTable } from '../../sandbox/node/image-pull.ts';
import { recordAwsCalls } from './aws-calls.ts';
import { type ClusterHistory, keepHistory } from './cluster-history.ts';
import { checkGranted } from './granted-calls.ts';
import { createLaunchesClient, type LaunchesClient } from './launches-client.ts';

/** A whole davit for one test file: runtime, sandbox cluster, GitHub and CI server. */
export interface TestRuntime extends AsyncDisposable {
  config: Config;
  stateDirectory: string;
  cluster: SandboxedCluster;
  /** Everything that happened in the cluster since its start. */
  history: ClusterHistory;
  runtime: Runtime;
  launches: LaunchesClient;
  github: GithubServer;
  ci: CiServer;
}

/** What differs from the repository's davit.yaml on an ordinary sandbox. */
export interface TestRuntimeOptions {
  changeConfig?: (config: Config) => Config;
  /** Its images are added to the reference agent and `davit.dev/idle`. */
  sandbox?: Partial<SandboxOptions>;
  /** As the runtime's own. */
  onInvoked?: (functionName: string, durationMs: number) => void;
  /** The text of the state machine. @default that of this version */
  definition?: string;
  /** @default a minute */
  sweepIntervalMs?: number;
  /** @default a minute */
  reconcileIntervalMs?: number;
  /** As of `startRuntime`: for tests that kill one function. */
  isThreadPerFunction?: boolean;
  /** As of `startRuntime`. */
  secrets?: Readonly<Record<string, string>>;
  /** As of `startRuntime`. */
  aws?: Readonly<Record<string, string>>;
}

/** The `cdk.out` whose bundles are tested in place of the sources: `npm run e2e:bundles` sets it. */
export const bundles = process.env['DAVIT_TEST_BUNDLES'];

const idleImages: ImageTable = { 'davit.dev/idle': { command: ['sleep', '3600'] } };

/**
 * Starts a davit with the repository's own davit.yaml, in a temporary directory. Disposing of it throws when a function
 * made a call to AWS that its role does not allow.
 */
export async function startTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  await using started = new AsyncDisposableStack();
  const asked = recordAwsCalls();
  started.defer(() => checkGranted(asked.calls));
  started.use(asked);
  const stateDirectory = await mkdtemp(join(tmpdir(), 'davit-test-'));
  started.defer(() => rm(stateDirectory, { recursive: true, force: true }));
  const read = await readConfig('davit.yaml');
  const config = options.changeConfig?.(read) ?? read;
  const ci = await startCiServer();
  started.defer(() => ci.stop());
  const images = { ...agentImages(ci.url), ...idleImages, ...options.sandbox?.images };
  const cluster = started.use(await startSandbox(config, stateDirectory, { ...options.sandbox, images }));
  const { definition, sweepIntervalMs, reconcileIntervalMs, secrets, onInvoked, aws, isThreadPerFunction } = options;
  const given = {
    ...(bundles === undefined ? {} : { bundles }),
    ...(definition === undefined ? {} : { definition }),
    ...(onInvoked === undefined ? {} : { onInvoked }),
    ...(sweepIntervalMs === undefined ? {} : { sweepIntervalMs }),
    ...(reconcileIntervalMs === undefined ? {} : { reconcileIntervalMs }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(isThreadPerFunction === undefined ? {} : { isThreadPerFunction }),
    ...(aws === undefined ? {} : { aws }),
  };
  const history = started.use(keepHistory(cluster.sandbox));
  const runtime = started.use(await startRuntime({ config, cluster, stateDirectory, ...given }));
  const secret = await runtime.webhookSecret('github');
  const github = createGithubServer(`${runtime.url}/webhooks/github`, secret);
  const launches = createLaunchesClient(runtime.url, runtime.launchesToken);
  const running = started.move();
  const dispose = () => running.disposeAsync();
  return { config, stateDirectory, cluster, history, runtime, launches, github, ci, [Symbol.asyncDispose]: dispose };
}
