import { choose } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { wordsOf } from '../words-of.ts';
import { clusterOfContext, type FirstCluster } from './make-config.ts';

/** The options of `davit init` that say which cluster. */
export interface ClusterOptions {
  context?: string;
  eks?: string;
  region?: string;
  sandbox?: boolean;
}

/**
 * Finds the cluster of a first davit.yaml, and asks for it if the options name none.
 *
 * @throws CliError `several-clusters`, `option-unused`, `kubeconfig-invalid`, `no-context`, `option-missing`, `no-choice`
 */
export async function chooseCluster(
  terminal: Terminal,
  { eks, region, context, sandbox }: ClusterOptions,
): Promise<FirstCluster> {
  const given = [eks, context, sandbox].filter((one) => one !== undefined).length;
  if (given > 1) throw new CliError('usage', 'several-clusters', 'expected one of --context, --eks and --sandbox');
  if (region !== undefined && eks === undefined) throw new CliError('usage', 'option-unused', '--region is for --eks');
  if (sandbox === true) return { kind: 'sandbox', name: 'sandbox' };
  if (eks !== undefined) {
    const { name } = clusterOfContext(eks);
    return { kind: 'eks', name, clusterName: eks, ...(region === undefined ? {} : { region }) };
  }
  const contexts = await contextNames();
  if (context !== undefined && !contexts.includes(context)) {
    const known = contexts.length === 0 ? 'there is none' : `there are ${contexts.join(', ')}`;
    const message = `the kubeconfig has no context ${context}: ${known}`;
    throw new CliError('usage', 'no-context', message, 'kubectl config get-contexts');
  }
  const question = { text: 'Which cluster?', option: '--context, --eks or --sandbox' };
  const chosen = context ?? (await choose(terminal, question, [...contexts, 'sandbox']));
  return chosen === 'sandbox' && context === undefined
    ? { kind: 'sandbox', name: 'sandbox' }
    : clusterOfContext(chosen);
}

/** The contexts of the kubeconfig that kubectl would use, the current one first. */
async function contextNames(): Promise<string[]> {
  const { KubeConfig } = await import('../../adapters/kubernetes/kube-config.ts');
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (error) {
    const message = `the kubeconfig cannot be read: ${wordsOf(error)}`;
    const advice = 'Correct KUBECONFIG, or name a cluster: --eks, --sandbox.';
    throw new CliError('usage', 'kubeconfig-invalid', message, advice, error);
  }
  const current = config.getCurrentContext();
  return config
    .getContexts()
    .map(({ name }) => name)
    .filter((name) => name !== 'loaded-context')
    .toSorted((one, other) => Number(other === current) - Number(one === current));
}
