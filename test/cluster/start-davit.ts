import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { readConfig } from '../../config/read-config.ts';
import type { Config, Profile } from '../../functions/domain/config.ts';
import { labelKeys } from '../../functions/domain/names.ts';
import { inContainers } from '../../local/agent/in-containers.ts';
import { type CiServer, startCiServer } from '../../local/demo/ci-server.ts';
import { createGithubServer, type GithubServer } from '../../local/demo/github-server.ts';
import { type Runtime, startRuntime } from '../../local/runtime/start-runtime.ts';
import { type ApiClient, openApi } from '../contract/api-client.ts';
import { createLaunchesClient, type LaunchesClient } from '../support/launches-client.ts';
import { type ProfileChanges, profileLike, withProfiles } from '../support/profile-like.ts';
import type { Cluster } from './cluster.ts';

/** What a profile has otherwise than the repository's own. */
export interface ClusterProfile extends ProfileChanges {
  profile?: Partial<Omit<Profile, 'template' | 'deadlines' | 'graces'>>;
}

/** A whole davit whose agents are containers of a real cluster. */
export interface DavitOnCluster extends AsyncDisposable {
  config: Config;
  runtime: Runtime;
  launches: LaunchesClient;
  github: GithubServer;
  ci: CiServer;
  /** With full rights. */
  api: ApiClient;
  /** What there is of a launch, in any namespace. */
  left(launchId: string): Promise<string[]>;
}

/** How davit is started there. */
export interface DavitOptions {
  profiles?: Readonly<Record<string, ClusterProfile>>;
  /** What is different from the repository's davit.yaml, before the agents are put into containers. */
  changeConfig?: (config: Config) => Config;
  /** Who davit is. @default the administrator */
  kubeconfig?: string;
  /** As the runtime's own. */
  sweepIntervalMs?: number;
}

const Objects = z.object({ kind: z.string(), items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** Starts davit on this machine, reached by Pods over their node's cable, with the agents' image that the nodes have. */
export async function startDavit(cluster: Cluster, options: DavitOptions = {}): Promise<DavitOnCluster> {
  await using started = new AsyncDisposableStack();
  const stateDirectory = await mkdtemp(join(tmpdir(), 'davit-cluster-test-'));
  started.defer(() => rm(stateDirectory, { recursive: true, force: true }));
  const ci = await startCiServer({ listen: cluster.hostIp });
  started.defer(() => ci.stop());
  const api = started.use(openApi(cluster.kubeconfig));
  const read = await readConfig('davit.yaml');
  const config = configFor(options.changeConfig?.(read) ?? read, ci.url, options.profiles ?? {});
  const { kubeconfig = cluster.kubeconfig, sweepIntervalMs } = options;
  const runtime = started.use(
    await startRuntime({
      config,
      cluster: { kubeconfig, kubeconfigPath: cluster.kubeconfigPath },
      stateDirectory,
      listen: { host: cluster.hostIp, port: 0 },
      ...(sweepIntervalMs === undefined ? {} : { sweepIntervalMs }),
    }),
  );
  const github = createGithubServer(`${runtime.url}/webhooks/github`, await runtime.webhookSecret('github'));
  const running = started.move();
  return {
    config,
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

/** Makes a config, as the repository's, one for a real cluster: with what that needs to be told, and a test's profiles. */
export function configFor(
  config: Config,
  ciServerUrl: string,
  added: Readonly<Record<string, ClusterProfile>>,
): Config {
  // Many agents are to fit on a small machine.
  const agent = { resources: { requests: { cpu: '10m', memory: '16Mi' } } };
  const contained = inContainers(config, ciServerUrl);
  const own = contained.profiles.map((profile) => profileLike(profile, profile.name, { agent }));
  const all = withProfiles({ ...config, profiles: own }, added);
  return { ...all, profiles: all.profiles.map((profile) => ({ ...profile, ...added[profile.name]?.profile })) };
}
