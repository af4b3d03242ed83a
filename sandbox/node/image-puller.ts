import { backOffMs, goDuration } from './backoff.ts';
import type { WaitingState } from './container-state.ts';
import type { EventNote } from './event-recorder.ts';
import { decideImage, pullBackOff, type SandboxImage } from './image-pull.ts';
import type { NodeServices } from './node-services.ts';
import { pause } from './pause.ts';
import type { Container, Pod } from './pod.ts';

/** Receives a container's waiting states and Events. */
export interface ContainerReporter {
  waiting(state: WaitingState): void;
  note(note: EventNote): void;
}

/**
 * Pulls a container's image onto the node, and retries until it succeeds.
 *
 * @returns the image, or undefined if `signal` aborted the attempts
 */
export async function obtainImage(
  pod: Pod,
  container: Container,
  services: NodeServices,
  reporter: ContainerReporter,
  signal: AbortSignal,
): Promise<SandboxImage | undefined> {
  const quoted = `"${container.image}"`;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const behaviour = services.behaviourFor(pod);
    const decision = decideImage(container, services.images, services.pulledImages);
    if (decision.kind === 'present') {
      const message = `Container image ${quoted} already present on machine`;
      reporter.note({ type: 'Normal', reason: 'Pulled', message });
      return decision.image;
    }
    if (decision.kind === 'fail') {
      reporter.note({ type: 'Warning', ...decision.event });
      fail(reporter, decision.error);
      await pause(behaviour.resyncMs, signal);
      continue;
    }
    reporter.note({ type: 'Normal', reason: 'Pulling', message: `Pulling image ${quoted}` });
    if (!(await pause(behaviour.imagePullMs, signal))) return undefined;
    if (decision.kind === 'pull') {
      services.pulledImages.add(decision.canonical);
      const took = goDuration(behaviour.imagePullMs);
      const message = `Successfully pulled image ${quoted} in ${took} (${took} including waiting). Image size: 0 bytes.`;
      reporter.note({ type: 'Normal', reason: 'Pulled', message });
      return decision.image;
    }
    const message = `Failed to pull image ${quoted}: ${decision.error.message}`;
    reporter.note({ type: 'Warning', reason: 'Failed', message });
    fail(reporter, decision.error);
    await pause(behaviour.resyncMs, signal);
    if (!signal.aborted) {
      reporter.note({ type: 'Normal', reason: 'BackOff', message: `Back-off pulling image ${quoted}` });
      fail(reporter, pullBackOff(container.image, decision.error));
    }
    await pause(backOffMs(behaviour.imagePullBackOff, attempt), signal);
  }
  return undefined;
}

function fail(reporter: ContainerReporter, error: WaitingState): void {
  reporter.note({ type: 'Warning', reason: 'Failed', message: `Error: ${error.reason}` });
  reporter.waiting(error);
}
