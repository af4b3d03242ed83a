import type { ContainerState, ContainerStatus } from '../../../../sandbox/node/container-state.ts';
import { type Pod, readPod } from '../../../../sandbox/node/pod.ts';

/** A Pod with one container, unless the spec says otherwise. */
export function makePod(spec: Record<string, unknown> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  const { pod, flaw } = readPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'agent',
      namespace: 'ci',
      uid: 'uid-1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { containers: [{ name: 'main', image: 'agent:1' }], ...spec },
  });
  if (pod === undefined) throw new TypeError(flaw);
  return pod;
}

export const waiting = (reason = 'ContainerCreating'): ContainerState => ({ waiting: { reason } });

/** A running container. */
export const running: ContainerState = { running: { startedAt: '2026-01-01T00:00:00Z' } };

/** A container that has ended. */
export const ended = (exitCode: number): ContainerState => ({
  terminated: {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:00:01Z',
    containerID: 'containerd://1',
  },
});

export function makeStatus(
  name: string,
  state: ContainerState,
  lastState: ContainerStatus['lastState'] = {},
): [string, ContainerStatus] {
  const isRunning = 'running' in state;
  const status = { name, image: 'agent:1', imageID: '', ready: isRunning, started: isRunning, restartCount: 0 };
  return [name, { ...status, state, lastState }];
}
