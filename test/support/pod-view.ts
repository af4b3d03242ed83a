import { type ContainerStatusView, PodView } from '../../core/pod/kubernetes-objects.ts';

type Status = NonNullable<PodView['status']>;

/** The uid of the Pods that `podView` makes. */
export const podUid = 'pod-uid-1';

/** A plain Pod on node-1, as the API server gives it, with one container named agent. */
export function podView(status: Status = {}, overrides: Partial<PodView['metadata']> = {}): PodView {
  return PodView.parse({
    metadata: { name: 'davit-x', namespace: 'davit-agents', uid: podUid, resourceVersion: '7', ...overrides },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'agent', image: 'registry.example/agent:1' }],
      initContainers: [
        { name: 'fetch', image: 'registry.example/fetch:1' },
        { name: 'proxy', image: 'registry.example/proxy:1', restartPolicy: 'Always' },
      ],
    },
    status,
  });
}

/** A waiting container. */
export function waiting(name: string, reason: string, message?: string): ContainerStatusView {
  return { name, state: { waiting: { reason, ...(message === undefined ? {} : { message }) } } };
}

/** A running container. */
export function running(name: string): ContainerStatusView {
  return { name, state: { running: { startedAt: '2026-01-01T00:00:03Z' } } };
}

/** A terminated container. */
export function terminated(name: string, exitCode: number, reason?: string): ContainerStatusView {
  return { name, state: { terminated: { exitCode, ...(reason === undefined ? {} : { reason }) } } };
}

/** A terminated container, with its reason or message. */
export function saying(name: string, exitCode: number, reason: string, message: string): ContainerStatusView {
  return { name, state: { terminated: { exitCode, reason, message } } };
}
