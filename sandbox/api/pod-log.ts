import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { present } from '../../core/present.ts';
import type { KubeObject } from '../cluster-store.ts';
import type { LogOptions, PodLogs } from '../pod-logs.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { badRequest, internalError, notFound } from '../store/status-error.ts';
import type { Answer } from './answer.ts';
import { queryFlag, queryNumber } from './revision.ts';
import type { ResourceRoute } from './route.ts';

const NamedContainers = z.array(z.looseObject({ name: z.string() })).default([]);

const PodContainers = z.looseObject({
  nodeName: z.string().optional(),
  containers: NamedContainers,
  initContainers: NamedContainers,
});

const ContainerState = z
  .looseObject({
    waiting: z.looseObject({ reason: z.string().optional() }).optional(),
    running: z.looseObject({}).optional(),
    terminated: z.looseObject({}).optional(),
  })
  .default({});

const ContainerStatus = z.looseObject({ name: z.string(), state: ContainerState, lastState: ContainerState });
const ContainerStatuses = z.array(ContainerStatus).default([]);

/** Chooses the named container, or the only one if the query names none. */
function chooseContainer(pod: KubeObject, wanted: string): string {
  const { containers, initContainers } = PodContainers.parse(pod.spec);
  const { name: podName } = pod.metadata;
  const names = [...containers, ...initContainers].map(({ name }) => name);
  if (wanted !== '') {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${podName}`);
    return wanted;
  }
  const [only, ...others] = names;
  if (only === undefined || others.length > 0) {
    throw badRequest(`a container name must be specified for pod ${podName}, choose one of: [${names.join(' ')}]`);
  }
  return only;
}

const waitingReasons: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/** Returns why a container has no log, in the kubelet's words, or undefined if it must have one. */
function missingLog(pod: KubeObject, options: LogOptions): string | undefined {
  const { container } = options;
  const statuses = [
    ...ContainerStatuses.parse(pod.status?.['containerStatuses']),
    ...ContainerStatuses.parse(pod.status?.['initContainerStatuses']),
  ];
  const status = statuses.find(({ name }) => name === container);
  const where = `container "${container}" in pod "${pod.metadata.name}"`;
  if (options.previous) {
    return status?.lastState.terminated === undefined ? `previous terminated ${where} not found` : undefined;
  }
  const { running, terminated, waiting } = status?.state ?? {};
  if (running !== undefined || terminated !== undefined || status?.lastState.terminated !== undefined) return undefined;
  const reason = waiting?.reason ?? 'ContainerCreating';
  return `${where} is waiting to start: ${waitingReasons[reason] ?? reason}`;
}

function logOptions(pod: KubeObject, query: URLSearchParams): LogOptions {
  const limits = present({
    tailLines: queryNumber(query, 'tailLines'),
    sinceSeconds: queryNumber(query, 'sinceSeconds'),
    limitBytes: queryNumber(query, 'limitBytes'),
  });
  return {
    container: chooseContainer(pod, query.get('container') ?? ''),
    follow: queryFlag(query, 'follow'),
    previous: queryFlag(query, 'previous'),
    timestamps: queryFlag(query, 'timestamps'),
    ...limits,
  };
}

async function send(log: AsyncIterable<Buffer>, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const pieces = log[Symbol.asyncIterator]();
  // A followed log can wait for its next chunk for ever. The wait ends when the client disconnects.
  const stopped = new Promise<{ done: true; value: undefined }>((resolve) => {
    signal.addEventListener('abort', () => resolve({ done: true, value: undefined }), { once: true });
  });
  try {
    for (;;) {
      const piece = await Promise.race([pieces.next(), stopped]);
      if (piece.done === true) break;
      response.write(piece.value);
    }
  } finally {
    void pieces.return?.();
    response.end();
  }
}

/**
 * Answers with a container's log from the kubelet.
 *
 * @throws StatusError NotFound (404) for the Pod, BadRequest (400) in the kubelet's words if the container has no log.
 */
export function podLog(store: MemoryStore, logs: PodLogs, route: ResourceRoute, query: URLSearchParams): Answer {
  const { namespace, name = '' } = route;
  const pod = store.get('pods', namespace, name);
  if (pod === undefined) throw notFound('pods', name);
  const options = logOptions(pod, query);
  if (PodContainers.parse(pod.spec).nodeName === undefined) return { code: 204, body: '' };
  const flaw = missingLog(pod, options);
  if (flaw !== undefined) throw badRequest(flaw);
  const log = logs.read(pod, options);
  if (log === undefined) throw internalError(`unable to retrieve container logs for ${options.container}`);
  return { code: 200, contentType: 'text/plain', stream: (response, signal) => send(log, response, signal) };
}
