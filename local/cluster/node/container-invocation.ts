import { containerEnvironment, expand, type PodFacts } from './environment.ts';
import type { SandboxImage } from './image-pull.ts';
import type { Container, Pod } from './pod.ts';

/** A container's command, ready to run. */
export interface Invocation {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
}

/**
 * Makes a container's command and environment out of its image's and its own.
 *
 * Besides what Kubernetes gives, each container has `POD_IP`: all Pods share the loopback interface, and a process
 * that listens there, rather than everywhere, leaves the port free for the next Pod.
 *
 * @param base what the node gives every container
 * @throws ContainerConfigError for a variable whose source does not exist.
 */
export function invocationOf(
  pod: Pod,
  container: Container,
  image: SandboxImage,
  facts: PodFacts,
  base: Readonly<Record<string, string>>,
): Invocation {
  const given = { ...base, HOSTNAME: pod.metadata.name, POD_IP: facts.podIP, ...image.env };
  const environment = containerEnvironment(pod, container, facts, given);
  const own = (words: readonly string[]) => words.map((word) => expand(word, environment));
  const entrypoint = container.command.length === 0 ? image.command : own(container.command);
  return { command: [...entrypoint, ...own(container.args)], environment };
}
