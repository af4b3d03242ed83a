import {
  ApiException,
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  KubeConfig,
  NetworkingV1Api,
  type V1Pod,
  VersionApi,
} from '@kubernetes/client-node';
import { nodeRules, type PolicyRule, rulesOf } from '../../cdk/rbac/rules.ts';
import { agentPod } from '../../core/agent/agent-objects.ts';
import type { Config, Profile } from '../../core/config/config.ts';
import { planLaunch } from '../../core/launch/plan-launch.ts';
import { present } from '../../core/present.ts';
import { wordsOf } from '../words-of.ts';
import { inTime, isAllowed, messageOf, rbacFix, refused } from './ask-cluster.ts';
import { checkFit } from './check-fit.ts';
import { checkEnforcement, checkNetwork, nodesOfEks } from './check-network.ts';
import { type Finding, ok, problem, skipped, warning } from './finding.ts';

/** A cluster, and davit's profiles there. */
export interface ClusterToCheck {
  name: string;
  /** The caller's access to it. */
  kubeconfig: string;
  /** The kubeconfig's context. @default its current one */
  context?: string;
  profiles: readonly Profile[];
  /** Whether the credential is the caller's and not davit's. @default false */
  isCallersOwn?: boolean;
  /** Whether it is the local runtime's own. Its Pods are processes, and no NetworkPolicy bounds those. @default false */
  isSandbox?: boolean;
  eksClusterName?: string;
}

interface Apis {
  core: CoreV1Api;
  authorization: AuthorizationV1Api;
  version: VersionApi;
  networking: NetworkingV1Api;
  apps: AppsV1Api;
}

const unreached = 'No launch reaches it.';

/** Names the profiles of each cluster of a config. */
export function profilesIn({ profiles }: Config, cluster: string): Profile[] {
  return profiles.filter(({ clusters }) => clusters.includes(cluster));
}

/**
 * Checks a cluster: its connection, namespaces, rights and quotas, whether it admits the profiles' Pods, and what bounds
 * their network.
 */
export async function checkCluster(cluster: ClusterToCheck): Promise<Finding[]> {
  const { name, kubeconfig, context, profiles, isCallersOwn = false, isSandbox = false, eksClusterName } = cluster;
  const about = `cluster ${name}`;
  try {
    const apis = apisOf(kubeconfig, context);
    const { gitVersion } = await inTime(apis.version.getCode());
    const namespaces = [...new Set(profiles.map(({ namespace }) => namespace))];
    const found = [ok(about, `reached, Kubernetes ${gitVersion}`)];
    for (const namespace of namespaces) {
      const isExposed = profiles.some((profile) => profile.namespace === namespace && profile.expose === 'nodePort');
      found.push(...(await checkNamespace(apis, `${about}: ${namespace}`, namespace, isExposed)));
    }
    if (profiles.some(readsNodes)) found.push(await checkRights(apis, about, nodeRules));
    if (profiles.some(({ expose }) => expose === 'nodePort')) found.push(await checkNodePorts(apis, about));
    for (const profile of profiles) {
      found.push(await checkPod(apis, about, profile), ...(await checkFit(apis.core, about, profile)));
      if (!isSandbox) found.push(await checkNetwork(apis.networking, about, profile));
    }
    if (isSandbox) found.push(skipped(about, 'its agents are processes of this machine, which reach what you reach'));
    else if (profiles.length > 0) found.push(await checkEnforcement(apis.apps, about));
    if (eksClusterName !== undefined) found.push(nodesOfEks(about, eksClusterName));
    return found;
  } catch (error) {
    if (error instanceof ApiException && error.code === 401) {
      if (isCallersOwn)
        return [skipped(about, "refuses the caller: it has no access entry there; davit's roles have theirs")];
      return [problem(about, 'refuses the credential of the kubeconfig', unreached, 'put a valid kubeconfig there')];
    }
    const what = `cannot be reached: ${error instanceof ApiException ? messageOf(error) : wordsOf(error)}`;
    return [problem(about, what, unreached, 'check the server in the kubeconfig, and the network')];
  }
}

function apisOf(kubeconfig: string, context?: string): Apis {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  if (context !== undefined) {
    config.setCurrentContext(context);
    if (config.getCurrentCluster() === null) throw new Error(`the kubeconfig has no context ${context} with a cluster`);
  }
  return {
    core: config.makeApiClient(CoreV1Api),
    authorization: config.makeApiClient(AuthorizationV1Api),
    version: config.makeApiClient(VersionApi),
    networking: config.makeApiClient(NetworkingV1Api),
    apps: config.makeApiClient(AppsV1Api),
  };
}

async function checkNamespace(apis: Apis, about: string, namespace: string, isExposed: boolean): Promise<Finding[]> {
  const exists = await whether(apis.core.readNamespace({ name: namespace }));
  if (exists === 'absent') return [problem(about, 'there is no such namespace', 'No Pod can be made there.', rbacFix)];
  return [
    exists === 'there' ? ok(about, 'the namespace is there') : skipped(about, 'the caller may not read namespaces'),
    await checkRights(apis, about, rulesOf({ isExposed }), namespace),
    ...(await checkQuotas(apis, about, namespace, isExposed)),
  ];
}

/** Checks each verb of each resource. @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/ */
async function checkRights(
  { authorization }: Apis,
  about: string,
  rules: readonly PolicyRule[],
  namespace?: string,
): Promise<Finding> {
  const asked = rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ resource, verb }))),
  );
  const answers = await Promise.all(
    asked.map(async ({ resource: path, verb }) => {
      const [resource = '', subresource] = path.split('/');
      const attributes = { resource, verb, ...present({ subresource, namespace }) };
      return { right: `${verb} ${path}`, isAllowed: await isAllowed(authorization, attributes) };
    }),
  );
  const missing = answers.filter((answer) => !answer.isAllowed).map(({ right }) => right);
  if (missing.length === 0) return ok(about, `the caller has the ${answers.length} rights that davit needs`);
  return problem(about, `the caller may not ${missing.join(', ')}`, 'A step that needs it fails its launch.', rbacFix);
}

/** What launches take of a quota. Agents that dial out have no Service: `davit rbac` allows none there. */
const countedOfAll = ['pods'];
const countedOfExposed = [...countedOfAll, 'services', 'services.nodeports'];

async function checkQuotas({ core }: Apis, about: string, namespace: string, isExposed: boolean): Promise<Finding[]> {
  const counted = isExposed ? countedOfExposed : countedOfAll;
  const quotas = await inTime(core.listNamespacedResourceQuota({ namespace })).catch(refused);
  if (quotas === undefined) return [skipped(about, 'resource quotas cannot be listed')];
  return quotas.items.flatMap(({ metadata, status }) =>
    counted.flatMap((resource) => {
      const [hard, used] = [status?.hard?.[resource], status?.used?.[resource]].map(Number);
      if (hard === undefined || used === undefined || Number.isNaN(hard) || Number.isNaN(used)) return [];
      const what = `quota ${metadata?.name}: ${used} of ${hard} ${resource} are used`;
      if (used < hard) return [ok(about, what)];
      const fix = `kubectl -n ${namespace} edit resourcequota ${metadata?.name}`;
      return [problem(about, what, 'Launches wait until others end.', fix)];
    }),
  );
}

/** Kubernetes' own range, 30000-32767. An API server does not say which one it has. */
const nodePortsByDefault = 2768;
const crowdedShare = 0.9;

/** Counts the free node ports of the whole cluster. */
async function checkNodePorts({ core }: Apis, about: string): Promise<Finding> {
  const services = await inTime(core.listServiceForAllNamespaces()).catch(refused);
  if (services === undefined)
    return skipped(about, 'node ports cannot be counted: the caller may not list all Services');
  const ports = services.items.flatMap(({ spec }) => [
    ...(spec?.ports ?? []).map(({ nodePort }) => nodePort),
    spec?.healthCheckNodePort,
  ]);
  const used = new Set(ports.filter((port) => port !== undefined && port !== 0)).size;
  const what = `${used} node ports are used; Kubernetes' own range has ${nodePortsByDefault}`;
  if (used < crowdedShare * nodePortsByDefault) return ok(about, what);
  const why = 'When none is left, launches wait until others end (NodePortRangeFull).';
  const fix = "enlarge the API server's --service-node-port-range, or use `expose: none` for agents that dial out";
  return warning(about, what, why, fix);
}

/** Asks the API server to create a profile's Pod as a dry run: Pod Security, quotas and admission refuse it at once. */
async function checkPod({ core }: Apis, about: string, profile: Profile): Promise<Finding> {
  const launch = `${about}: profile ${profile.name}`;
  const plan = planLaunch(profile, { launchId: 'doctor' }, Date.now());
  const extras = { env: {}, labels: {}, credentialId: 'doctor', serviceUid: undefined };
  // Sends the template unchecked, because the server must check it.
  const body = agentPod(plan, profile, extras) as object as V1Pod;
  try {
    await inTime(core.createNamespacedPod({ namespace: profile.namespace, body, dryRun: 'All' }));
    return ok(launch, 'the cluster would take its Pod');
  } catch (error) {
    if (!(error instanceof ApiException) || error.code >= 500) throw error;
    const message = messageOf(error);
    if (error.code === 404) return skipped(launch, 'its namespace is missing');
    const fix = "change the profile's template, or the namespace's Pod Security label: see docs/configuration.md";
    return problem(launch, `the cluster refuses its Pod: ${message}`, 'No agent of the profile can start.', fix);
  }
}

function readsNodes({ hostAddress }: Profile): boolean {
  return hostAddress === 'nodeInternalIP' || hostAddress === 'nodeExternalIP';
}

async function whether(call: Promise<unknown>): Promise<'there' | 'absent' | 'unknown'> {
  try {
    await inTime(call);
    return 'there';
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return 'absent';
    return refused(error) ?? 'unknown';
  }
}
