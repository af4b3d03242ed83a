import { readFile } from 'node:fs/promises';
import { openCiSystems } from '../../ci/open-ci-systems.ts';
import type { Config } from '../../core/config/config.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { localConfigOf } from '../../local/runtime/local-secrets.ts';
import { contextProblem } from '../../local/runtime/named-contexts.ts';
import type { RuntimePlaces } from '../../local/runtime/runtime-places.ts';
import { readSecret } from '../../local/store/read-store.ts';
import { answered, apiClient } from '../api/client.ts';
import { type ConnectionOptions, connect, readPlaces } from '../api/connection.ts';
import { installationIdReader } from '../api/installation-id.ts';
import { awsSecrets, openSecretSource } from '../api/secret-source.ts';
import { outputsOf, publicUrlOf, type StackOutputs } from '../api/stack.ts';
import { type Target, targetOf } from '../api/target.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { wordsOf } from '../words-of.ts';
import { checkAccessEntries, checkConcurrency } from './check-account.ts';
import { checkCiSystems, scopesOf } from './check-ci.ts';
import { checkCluster, profilesIn } from './check-cluster.ts';
import { checkPublicUrl } from './check-public-url.ts';
import { checkRemoved } from './check-removed.ts';
import { checkRunnerImages, readRunnerReleases } from './check-runner-images.ts';
import { checkSecrets } from './check-secrets.ts';
import { eksKubeconfig } from './eks-kubeconfig.ts';
import { type Finding, ok, skipped } from './finding.ts';

/** The options of `davit doctor`. */
export interface DoctorOptions extends ConnectionOptions {
  config: string;
  kubeconfig?: string;
  /** The contexts of clusters that do not use the current one, by the clusters' names. */
  cluster?: Readonly<Record<string, string>>;
  scope: readonly string[];
  /** Files of secrets, by the names in davit.yaml. */
  secret: Readonly<Record<string, string>>;
  /** The profile of an agent to launch. */
  deep?: string;
}

/** The caller's davit, as far as the checks need it. */
interface Davit {
  target: Target;
  /** The addresses of a running local davit. */
  places: RuntimePlaces | undefined;
}

const ciRequestMs = 10_000;

/**
 * Checks for every mistake that can show before a launch. Yields each finding as soon as it is known.
 *
 * @throws CliError, ConfigError only for an invalid command line or davit.yaml
 */
export async function* diagnose(options: DoctorOptions, terminal: Terminal): AsyncGenerator<Finding> {
  const written = await readConfig(options.config);
  checkDeep(written, options.deep);
  yield ok(
    options.config,
    `${written.profiles.length} profiles, ${written.clusters.length} clusters, ${written.ciSystems.length} CI systems`,
  );
  const contexts = Object.entries(options.cluster ?? {}).map(([name, context]) => ({ name, context }));
  const problem = contextProblem(contexts, written);
  if (problem !== undefined) throw new CliError('usage', 'unknown-cluster', problem);
  const target = targetOf(options, terminal.env);
  const davit = { target, places: await placesOf(target, options.state) };
  const config = target.kind === 'stack' ? written : localConfigOf(written);
  const answers = await checkApi(options, terminal, davit, config);
  yield* answers;
  if (answers[0]?.verdict === 'ok') yield* checkPlaces(davit, config, options.region);
  yield* checkClusters(options, terminal, config, davit);
  yield* await checkRunnerImages(config, { readReleases: readRunnerReleases, nowEpochMs: terminal.nowEpochMs() });
  const { state, region, secret: files } = options;
  const kept = { target, isLocal: davit.places !== undefined, state, region };
  const secrets = openSecretSource({ ...kept, files });
  yield* await checkSecrets(config, (id) => secrets.read(id));
  const readInstallationId = installationIdReader(kept);
  const source = { systems: config.ciSystems, secrets, readInstallationId, timeoutMs: ciRequestMs };
  const isRunning = target.kind !== 'state' || davit.places !== undefined;
  const scopes = scopesOf(config, options.scope);
  yield* await checkCiSystems(config, { openCiSystem: openCiSystems(source), scopes, isRunning });
}

function checkDeep({ profiles }: Config, deep: string | undefined): void {
  const names = profiles.map(({ name }) => name);
  if (deep === undefined || names.includes(deep)) return;
  throw new CliError('unknown', 'profile-unknown', `davit.yaml has no profile ${deep}: it has ${names.join(', ')}`);
}

async function* checkPlaces(davit: Davit, config: Config, region?: string): AsyncGenerator<Finding> {
  const { target, places } = davit;
  const outputs = target.kind === 'stack' ? await outputsOf(target.stack, region) : undefined;
  if (outputs !== undefined) yield* checkStack(outputs, config, region);
  const publicUrl = outputs === undefined ? places?.publicUrl : publicUrlOf(outputs);
  if (publicUrl !== undefined) yield await checkPublicUrl(publicUrl);
}

/** Finds the requested local runtime, if it runs. Another one may use the caller's state directory. */
async function placesOf(target: Target, state: string): Promise<RuntimePlaces | undefined> {
  if (target.kind === 'stack') return undefined;
  try {
    const places = await readPlaces(state);
    const isMeant = target.kind === 'state' || [places.url, places.publicUrl].includes(target.url);
    return isMeant ? places : undefined;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** @returns the finding about davit first */
async function checkApi(
  options: DoctorOptions,
  terminal: Terminal,
  { target, places }: Davit,
  config: Config,
): Promise<Finding[]> {
  if (target.kind === 'state' && places === undefined) {
    return [skipped('davit', 'none runs here yet: davit local starts one, --stack NAME names a deployed one')];
  }
  try {
    const connection = await connect(options, terminal);
    const api = apiClient(connection);
    const { clusters } = answered(await api.GET('/clusters'), 'clusters');
    return [ok('davit', `answers at ${connection.url}`), ...checkRemoved(config, clusters)];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { advice } = error;
    const why = 'Nothing can be launched.';
    const fix = advice === undefined ? {} : { fix: advice };
    return [{ verdict: 'problem', about: 'davit', what: error.message, why, ...fix }];
  }
}

async function* checkClusters(
  options: DoctorOptions,
  { env }: Terminal,
  config: Config,
  { target, places }: Davit,
): AsyncGenerator<Finding> {
  const { kubeconfig, cluster: contexts = {}, region } = options;
  const path = kubeconfig ?? places?.kubeconfigPath ?? env['KUBECONFIG'];
  const isSandbox = kubeconfig === undefined && places?.isSandbox === true;
  const contextOf = { ...(kubeconfig === undefined ? places?.contexts : {}), ...contexts };
  for (const cluster of config.clusters) {
    const { name } = cluster;
    const profiles = profilesIn(config, name);
    const context = contextOf[name];
    const secret = kubeconfig === undefined && context === undefined ? places?.kubeconfigSecrets[name] : undefined;
    const inContext = context === undefined ? {} : { context };
    const onEks = 'eks' in cluster ? { eksClusterName: cluster.eks.clusterName } : {};
    try {
      if (path !== undefined) {
        const given = secret === undefined ? await readFile(path, 'utf8') : readSecret(options.state, secret);
        yield* await checkCluster({ name, kubeconfig: given, profiles, isSandbox, ...inContext, ...onEks });
      } else if (target.kind !== 'stack') {
        yield skipped(`cluster ${name}`, 'davit local has the sandbox in its place; KUBECONFIG names a real one');
      } else if ('kubeconfigSecret' in cluster) {
        const read = await awsSecrets(region).read(cluster.kubeconfigSecret);
        yield* await checkCluster({ name, kubeconfig: read, profiles });
      } else {
        const own = await eksKubeconfig(cluster, region);
        yield* await checkCluster({ name, kubeconfig: own, profiles, isCallersOwn: true, ...onEks });
      }
    } catch (error) {
      const what = `there is no kubeconfig for it: ${wordsOf(error)}; --kubeconfig FILE gives one`;
      yield skipped(`cluster ${name}`, what);
    }
  }
}

/** The checks of a deployed davit's account. */
async function* checkStack(
  { ClusterRoles: roles = '' }: StackOutputs,
  config: Config,
  region?: string,
): AsyncGenerator<Finding> {
  yield await checkConcurrency(region);
  for (const cluster of config.clusters) {
    if ('eks' in cluster && roles !== '') {
      const eks = { ...(region === undefined ? {} : { region }), ...cluster.eks };
      yield await checkAccessEntries(cluster.name, eks, roles.split(' '));
    }
  }
}
