import type { Config } from '../../core/config/config.ts';
import type { NamedContext } from './arguments.ts';
import { localConfigOf } from './local-secrets.ts';
import { type LocalCluster, useKubeconfig } from './start-cluster.ts';

/** Describes a context that names no cluster of the config, or a cluster that already has a context. */
export function contextProblem(contexts: readonly NamedContext[], { clusters }: Config): string | undefined {
  const names = clusters.map(({ name }) => name);
  const seen = new Map<string, string>();
  for (const { name, context } of contexts) {
    const option = `--cluster ${name}=${context}`;
    if (!names.includes(name)) return `${option}: davit.yaml has no cluster ${name}, but ${names.join(', ')}`;
    const other = seen.get(name);
    if (other !== undefined) return `${option}: ${name} has a context already, ${other}`;
    seen.set(name, context);
  }
  return undefined;
}

/**
 * Uses a kubeconfig: each named context for its cluster of the config, and the current context for the others. The
 * current context is not needed if every cluster has its own.
 *
 * @throws Error naming the option and the context, or the file, as `useKubeconfig`
 */
export async function useContexts(
  kubeconfigPath: string,
  contexts: readonly NamedContext[],
  config: Config,
): Promise<LocalCluster> {
  const problem = contextProblem(contexts, config) ?? secretProblem(contexts, localConfigOf(config));
  if (problem !== undefined) throw new Error(problem);
  const named = await Promise.all(contexts.map((each) => useContext(kubeconfigPath, each)));
  const byName = Object.fromEntries(named);
  const [first] = named;
  const isEachNamed = first !== undefined && named.length === config.clusters.length;
  return { ...(isEachNamed ? first[1] : await useKubeconfig(kubeconfigPath)), byName };
}

async function useContext(path: string, { name, context }: NamedContext): Promise<[string, LocalCluster]> {
  try {
    return [name, await useKubeconfig(path, context)];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`--cluster ${name}=${context}: ${error.message}`, { cause: error });
  }
}

/** A secret holds one kubeconfig, so clusters that share one are one cluster. */
function secretProblem(contexts: readonly NamedContext[], { clusters }: Config): string | undefined {
  const secretOf = (name: string) => {
    const cluster = clusters.find((each) => each.name === name);
    return cluster !== undefined && 'kubeconfigSecret' in cluster ? cluster.kubeconfigSecret : undefined;
  };
  for (const { name, context } of contexts) {
    const secret = secretOf(name);
    const other = clusters.find((each) => each.name !== name && secretOf(each.name) === secret);
    if (other === undefined || secret === undefined) continue;
    return `--cluster ${name}=${context}: ${name} and ${other.name} share kubeconfigSecret ${secret}; give each its own`;
  }
  return undefined;
}
