import type { Container, EnvironmentVariable, Pod } from './pod.ts';

/** Facts about a Pod that its containers' environment can refer to. */
export interface PodFacts {
  nodeName: string;
  hostIP: string;
  podIP: string;
}

/** A container cannot be configured. The message goes into its CreateContainerConfigError. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}

/**
 * Replaces each `$(NAME)` with its value. `$$` becomes `$`. An unknown name stays unchanged.
 *
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
 */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (written: string, name: string | undefined) => {
    if (name === undefined) {
      return '$';
    }
    return Object.hasOwn(values, name) ? (values[name] ?? written) : written;
  });
}

/**
 * Computes a container's variables, in their order. Each can refer to earlier ones and to `base`.
 *
 * @throws ContainerConfigError for a required Secret or ConfigMap, because the sandbox has none, and for a field that
 *   the downward API does not offer.
 */
export function containerEnvironment(
  pod: Pod,
  container: Container,
  facts: PodFacts,
  base: Readonly<Record<string, string>>,
): Record<string, string> {
  const values: Record<string, string> = { ...base };
  for (const variable of container.env) {
    const value = variableValue(pod, variable, facts, values);
    if (value !== undefined) {
      values[variable.name] = value;
    }
  }
  return values;
}

function variableValue(
  pod: Pod,
  variable: EnvironmentVariable,
  facts: PodFacts,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const source = variable.valueFrom;
  if (source === undefined) {
    return expand(variable.value ?? '', values);
  }
  if (source.fieldRef !== undefined) {
    return fieldValue(pod, source.fieldRef.fieldPath, facts);
  }
  const [kind, reference] =
    source.secretKeyRef === undefined ? ['configmap', source.configMapKeyRef] : ['secret', source.secretKeyRef];
  if (reference?.optional === true) {
    return undefined;
  }
  throw new ContainerConfigError(`${kind} "${reference?.name ?? ''}" not found`);
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#available-fields */
function fieldValue(pod: Pod, fieldPath: string, facts: PodFacts): string {
  const { metadata } = pod;
  const fields: Record<string, string> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': facts.nodeName,
    'spec.serviceAccountName': 'default',
    'status.hostIP': facts.hostIP,
    'status.hostIPs': facts.hostIP,
    'status.podIP': facts.podIP,
    'status.podIPs': facts.podIP,
  };
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath);
  const value = keyed === null ? fields[fieldPath] : keyedValue(metadata, keyed[1], keyed[2] ?? '');
  if (value === undefined) {
    throw new ContainerConfigError(`unsupported fieldPath: ${fieldPath}`);
  }
  return value;
}

/** Returns a label or annotation, or an empty string if the Pod does not have it. */
function keyedValue(metadata: Pod['metadata'], map: string | undefined, key: string): string {
  return (map === 'labels' ? metadata.labels : metadata.annotations)?.[key] ?? '';
}
