import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { Config, Profile } from '../../../core/config/config.ts';
import { readConfig } from '../../../core/config/read-config.ts';
import { labelKeys } from '../../../core/launch/names.ts';
import { present } from '../../../core/present.ts';
import { inContainers } from '../../../local/agent/in-containers.ts';
import { type CiServer, startCiServer } from '../../../local/demo/ci-server.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../../local/github/github-webhooks.ts';
import { type Runtime, type RuntimeOptions, startRuntime } from '../../../local/runtime/start-runtime.ts';
import { type ApiClient, openApi } from '../../contract/api-client.ts';
import { checkTrace } from '../../support/check-trace.ts';
import { createDescribedAnswers } from '../../support/described-answers.ts';
import { createLaunchesClient, type LaunchesClient } from '../../support/launches-client.ts';
import { type ProfileChanges, profileLike, withProfiles } from '../../support/profile-like.ts';
import type { Cluster } from './cluster.ts';

/** The fields in which a profile differs from the repository's own. */
export interface ClusterProfile extends ProfileChanges {
  profile?: Partial<Omit<Profile, 'template' | 'deadlines' | 'graces'>>;
}

/** A complete davit whose agents are containers of a real cluster. */
export interface DavitOnCluster extends AsyncDisposable {
  config: Config;
  /** Where davit keeps what it knows. */
  stateDirectory: string;
  runtime: Runtime;
  launches: LaunchesClient;
  github: GithubWebhooks;
  ci: CiServer;
  /** A client with full rights. */
  api: ApiClient;
  /** A launch's remaining objects, in any namespace. */
  left(launchId: string): Promise<string[]>;
}

/** The settings of a davit on a cluster. */
export interface DavitOptions extends Pick<RuntimeOptions, 'sweepIntervalMs' | 'reconcileIntervalMs' | 'secrets'> {
  profiles?: Readonly<Record<string, ClusterProfile>>;
  /** Changes the repository's davit.yaml, before the agents become containers. */
  changeConfig?: (config: Config) => Config;
  /** The credentials that davit uses; a function makes them for the config. @default the administrator's */
  kubeconfig?: string | ((config: Config) => Promise<string>);
}

const Objects = z.object({ kind: z.string(), items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** Starts davit on this machine, where Pods reach it through their node's network. Its agents use the nodes' image. */
export async function startDavit(cluster: Cluster, options: DavitOptions = {}): Promise<DavitOnCluster> {
  await using started = new AsyncDisposableStack();
  const stateDirectory = await mkdtemp(join(tmpdir(), 'davit-cluster-test-'));
  started.defer(() => rm(stateDirectory, { recursive: true, force: true }));
  started.defer(async () => void (await checkTrace(stateDirectory)));
  const answers = createDescribedAnswers();
  started.defer(() => answers.check());
  const ci = await startCiServer({ listen: cluster.hostIp });
  started.defer(() => ci.stop());
  const api = started.use(openApi(cluster.kubeconfig));
  const read = await readConfig('davit.yaml');
  const config = configFor(options.changeConfig?.(read) ?? read, ci.url, options.profiles ?? {});
  const { kubeconfig: given = cluster.kubeconfig, sweepIntervalMs, reconcileIntervalMs, secrets } = options;
  const kubeconfig = typeof given === 'string' ? given : await given(config);
  const runtime = started.use(
    await startRuntime({
      config,
      cluster: { kubeconfig, kubeconfigPath: cluster.kubeconfigPath },
      stateDirectory,
      onAnswer: answers.onAnswer,
      listen: { host: cluster.hostIp, port: 0 },
      ...present({ sweepIntervalMs, reconcileIntervalMs, secrets }),
    }),
  );
  const github = createGithubWebhooks(`${runtime.url}/webhooks/github`, await runtime.webhookSecret('github'));
  const running = started.move();
  return {
    config,
    stateDirectory,
    runtime,
    launches: createLaunchesClient(runtime.url, runtime.launchesToken),
    github,
    ci,
    api,
    left: async (launchId) => {
      const selector = encodeURIComponent(`${labelKeys.launchId}=${launchId}`);
      const lists = ['services', 'pods'].map((resource) => api.send(`/api/v1/${resource}?labelSelector=${selector}`));
      const found = (await Promise.all(lists)).map(({ body }) => Objects.parse(body));
      return found.flatMap(({ kind, items }) => items.map(({ metadata }) => `${kind} ${metadata.name}`));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Adapts a config like the repository's to a real cluster, and adds a test's profiles. */
function configFor(config: Config, ciServerUrl: string, added: Readonly<Record<string, ClusterProfile>>): Config {
  // A small machine must have room for many agents.
  const agent = { resources: { requests: { cpu: '10m', memory: '16Mi' } } };
  const contained = inContainers(config, ciServerUrl);
  const own = contained.profiles.map((profile) => profileLike(profile, profile.name, { agent }));
  const all = withProfiles({ ...config, profiles: own }, added);
  return { ...all, profiles: all.profiles.map((profile) => ({ ...profile, ...added[profile.name]?.profile })) };
}
