import { containerEnvironment, expand, type PodFacts, type ReadSource } from './environment.ts';
import type { SandboxImage } from './image-pull.ts';
import type { Container, Pod } from './pod.ts';

/** A container's command, ready to run. */
export interface Invocation {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
}

/**
 * Combines a container's command and environment with those of its image.
 *
 * Besides the variables of Kubernetes, each container has `POD_IP`. All Pods share the loopback interface, so a process
 * must listen on this address, not on all addresses, to leave the port free for other Pods.
 *
 * @param base the variables that the node gives to every container
 * @throws ContainerConfigError if the source of a variable does not exist.
 */
export function invocationOf(
  pod: Pod,
  container: Container,
  image: SandboxImage,
  facts: PodFacts,
  base: Readonly<Record<string, string>>,
  readSource: ReadSource,
): Invocation {
  const given = { ...base, HOSTNAME: pod.metadata.name, POD_IP: facts.podIP, ...image.env };
  const environment = containerEnvironment(pod, container, facts, given, readSource);
  const own = (words: readonly string[]) => words.map((word) => expand(word, environment));
  const entrypoint = container.command.length === 0 ? image.command : own(container.command);
  return { command: [...entrypoint, ...own(container.args)], environment };
}
