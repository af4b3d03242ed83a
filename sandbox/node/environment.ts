import type { Container, EnvironmentSource, EnvironmentVariable, Pod } from './pod.ts';

/** Facts about a Pod that its containers' environment can refer to. */
export interface PodFacts {
  nodeName: string;
  hostIP: string;
  podIP: string;
}

/** A kind of object whose keys become variables. */
export type SourceKind = 'secret' | 'configmap';

/** Reads the texts of a Secret or a ConfigMap of the Pod's Namespace. Returns undefined if it does not exist. */
export type ReadSource = (kind: SourceKind, name: string) => Readonly<Record<string, string>> | undefined;

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
    if (name === undefined) return '$';
    return Object.hasOwn(values, name) ? (values[name] ?? written) : written;
  });
}

/**
 * Computes a container's variables, in their order: those of `envFrom` first. Each can refer to earlier ones and to
 * `base`.
 *
 * @throws ContainerConfigError for a required Secret, ConfigMap or key that does not exist, and for a field that the
 *   downward API does not offer.
 */
export function containerEnvironment(
  pod: Pod,
  container: Container,
  facts: PodFacts,
  base: Readonly<Record<string, string>>,
  readSource: ReadSource,
): Record<string, string> {
  const values: Record<string, string> = { ...base };
  for (const source of container.envFrom) Object.assign(values, sourceValues(source, readSource));
  for (const variable of container.env) {
    const value = variableValue(pod, variable, facts, values, readSource);
    if (value !== undefined) values[variable.name] = value;
  }
  return values;
}

function variableValue(
  pod: Pod,
  variable: EnvironmentVariable,
  facts: PodFacts,
  values: Readonly<Record<string, string>>,
  readSource: ReadSource,
): string | undefined {
  const source = variable.valueFrom;
  if (source === undefined) return expand(variable.value ?? '', values);
  if (source.fieldRef !== undefined) return fieldValue(pod, source.fieldRef.fieldPath, facts);
  const [kind, reference] =
    source.secretKeyRef === undefined
      ? (['configmap', source.configMapKeyRef] as const)
      : (['secret', source.secretKeyRef] as const);
  const { name = '', key = '', optional = false } = reference ?? {};
  const found = readSource(kind, name);
  const value = found?.[key];
  if (value !== undefined || optional) return value;
  throw new ContainerConfigError(
    found === undefined
      ? missing(kind, name)
      : `couldn't find key ${key} in ${kindNames[kind]} ${pod.metadata.namespace}/${name}`,
  );
}

const kindNames: Readonly<Record<SourceKind, string>> = { secret: 'Secret', configmap: 'ConfigMap' };

function missing(kind: SourceKind, name: string): string {
  return `${kind} "${name}" not found`;
}

/** The variables of one entry of `envFrom`. @see https://kubernetes.io/docs/tasks/inject-data-application/distribute-credentials-secure/ */
function sourceValues({ prefix, secretRef, configMapRef }: EnvironmentSource, readSource: ReadSource) {
  const [kind, reference] =
    secretRef === undefined ? (['configmap', configMapRef] as const) : (['secret', secretRef] as const);
  const { name = '', optional = false } = reference ?? {};
  const found = readSource(kind, name);
  if (found === undefined && !optional) throw new ContainerConfigError(missing(kind, name));
  return Object.fromEntries(Object.entries(found ?? {}).map(([key, value]) => [`${prefix}${key}`, value]));
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
  if (value === undefined) throw new ContainerConfigError(`unsupported fieldPath: ${fieldPath}`);
  return value;
}

/** Returns a label or annotation, or an empty string if the Pod does not have it. */
function keyedValue(metadata: Pod['metadata'], map: string | undefined, key: string): string {
  return (map === 'labels' ? metadata.labels : metadata.annotations)?.[key] ?? '';
}
