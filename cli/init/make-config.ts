import { stringify } from 'yaml';
import { presets } from '../../core/agent/runner-preset.ts';
import type { CiProvider } from '../../core/ci/ci-system-config.ts';
import { isPolled } from '../../core/ci/ci-systems.ts';
import { parseConfig } from '../../core/config/read-config.ts';

/** The values of a first davit.yaml. */
export interface FirstConfig {
  ci: CiProvider;
  /** Where it is, and whose jobs davit takes there: the keys of its entry that `ci/first-entries.ts` names. */
  entry: Readonly<Record<string, string>>;
  /** The id of the GitHub App that davit acts as. @default davit acts by a token */
  app?: number;
  cluster: FirstCluster;
  namespace: string;
  labels: readonly string[];
  /** The agent's image. @default the CI system's own runner; the reference agent in the sandbox */
  image?: string;
}

/** The cluster of a first davit.yaml. */
export type FirstCluster =
  | { kind: 'sandbox'; name: string }
  | { kind: 'kubeconfig'; name: string }
  | { kind: 'eks'; name: string; clusterName: string; region?: string };

/** The image that the sandbox runs as a local process. */
const referenceImage = 'davit.dev/reference-agent';
const agentPort = 8811;

/** Writes a first davit.yaml. @throws ConfigError when the values are invalid */
export function makeConfig(first: FirstConfig): string {
  const { ci, cluster } = first;
  const registers = joins(first);
  const system = {
    name: ci,
    provider: ci,
    ...first.entry,
    webhookSecret: `davit-webhook-${ci}`,
    ...(registers ? credentialOf(first) : {}),
  };
  const profile = {
    name: 'linux',
    labels: [...first.labels],
    clusters: [cluster.name],
    namespace: first.namespace,
    ...(registers ? { runner: ci } : { agentPort }),
    ...templateOf(first, registers),
  };
  const config = { clusters: [clusterEntry(cluster)], ciSystems: [system], profiles: [profile] };
  const text = `${head}${stringify(config)}`;
  parseConfig(text, 'davit.yaml');
  return text;
}

/**
 * Says whether davit registers the agents. It does not in the sandbox for a runner that no program of this machine can
 * be, such as GitHub's.
 */
function joins({ ci, cluster }: FirstConfig): boolean {
  if (ci === 'standard') return false;
  return cluster.kind !== 'sandbox' || presets[ci].program !== undefined;
}

function credentialOf({ ci, app }: FirstConfig): object {
  return app === undefined
    ? { tokenSecret: tokenOf(ci) }
    : { app: { id: app, privateKeySecret: `davit-app-key-${ci}` } };
}

function tokenOf(ci: string): string {
  return `davit-token-${ci}`;
}

/** The name of the file with the schema of davit.yaml, in the same folder: editors check by it, and complete. */
export const schemaFile = 'davit.schema.json';

const head = `# yaml-language-server: $schema=./${schemaFile}
# The kinds of agents that davit launches, and their clusters. docs/configuration.md describes every key.
# \`davit doctor\` checks this file.
`;

function clusterEntry(cluster: FirstCluster): object {
  const { name } = cluster;
  if (cluster.kind !== 'eks') return { name, kubeconfigSecret: `davit-kubeconfig-${name}` };
  const { clusterName, region } = cluster;
  return { name, eks: { clusterName, ...(region === undefined ? {} : { region }) } };
}

function templateOf({ image }: FirstConfig, registers: boolean): { template?: object } {
  if (registers && image === undefined) return {};
  const container = {
    name: 'agent',
    image: image ?? referenceImage,
    ...(registers ? {} : { env: [{ name: 'AGENT_PORT', value: `${agentPort}` }] }),
    resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
  };
  return { template: { spec: { containers: [container] } } };
}

/** Lists the steps after a first davit.yaml, one line each. */
export function nextSteps(first: FirstConfig): string[] {
  const { cluster } = first;
  const secret = joins(first) ? secretOptions(first) : '';
  const [scope, withWebhook] = hasWebhook(first) ? [' --scope OWNER', ', with the webhook'] : ['', ''];
  if (cluster.kind === 'sandbox') {
    return [
      `davit doctor${secret}`,
      `davit local${scope}${secret}    # until Ctrl-C; continue in another terminal${needed(first)}`,
      ...firstLaunch(first),
    ];
  }
  if (cluster.kind === 'eks') {
    return [
      'davit rbac | kubectl apply --server-side -f -',
      ...appStep(first),
      `davit deploy --eks-access${scope}${secret}    # to AWS${withWebhook}`,
      'davit doctor --stack Davit --deep linux',
    ];
  }
  return [
    'davit rbac | kubectl apply --server-side -f -',
    ...appStep(first),
    `KUBECONFIG=~/.kube/config davit doctor${secret}`,
    `KUBECONFIG=~/.kube/config davit local --listen 0.0.0.0:8080 --public-url http://YOUR-HOST:8080${scope}${secret}    # continue in another terminal`,
    'davit doctor --deep linux',
  ];
}

/** Says whether davit makes the CI system's webhook: it does for those that it does not poll. */
function hasWebhook(first: FirstConfig): boolean {
  return joins(first) && !isPolled({ provider: first.ci });
}

/** An agent that davit registers needs a job that waits for it. */
function firstLaunch(first: FirstConfig): string[] {
  const { ci, labels } = first;
  if (!joins(first)) return ['davit launch linux --job first', 'davit list'];
  return [`davit list    # once a job for ${labels.join(' and ')} waits in ${ci}`];
}

/** An App that is not made yet has no id that davit.yaml could name. */
function appStep({ ci, app }: FirstConfig): string[] {
  return ci === 'github' && app === undefined
    ? ['davit github-app --org OWNER       # an App, and its lines for davit.yaml; or put a token into a file']
    : [];
}

function secretOptions({ ci, app }: FirstConfig): string {
  if (app === undefined) return ` --secret ${tokenOf(ci)}=TOKEN-FILE`;
  const folder = 'github-app';
  return ` --secret davit-webhook-${ci}=${folder}/webhook-secret --secret davit-app-key-${ci}=${folder}/private-key.pem`;
}

/** Says which program the sandbox needs. */
function needed(first: FirstConfig): string {
  const { ci } = first;
  const program = ci === 'standard' || !joins(first) ? undefined : presets[ci].program;
  return program === undefined ? '' : `. ${program} must be on PATH`;
}

/** Turns a context's name into a name for davit.yaml: a DNS label. */
export function clusterNameOf(context: string): string {
  const last = context.split('/').at(-1) ?? context;
  const label = last
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 40);
  return label === '' ? 'builds' : label.replace(/-$/, '');
}

/** Recognises the contexts of `aws eks update-kubeconfig`: the ARNs of clusters. */
export function clusterOfContext(context: string): FirstCluster {
  const name = clusterNameOf(context);
  const [, region, clusterName] = /^arn:[^:]+:eks:([^:]+):\d+:cluster\/(.+)$/.exec(context) ?? [];
  if (region === undefined || clusterName === undefined) return { kind: 'kubeconfig', name };
  return { kind: 'eks', name, clusterName, region };
}
