import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig, Watch } from '@kubernetes/client-node';
import * as z from 'zod';
import type { ApiClient } from '../../contract/api-client.ts';
import type { SeenPod } from './judge.ts';

/** A watch of a namespace's Pods. */
export interface PodWatch extends Disposable {
  /** All Pods that it has seen, those that are gone too. */
  pods(): SeenPod[];
  /** Those that are not gone. */
  present(): SeenPod[];
}

const PodObject = z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) });
const PodList = z.object({ metadata: z.object({ resourceVersion: z.string() }), items: z.array(PodObject) });
const retryMs = 100;

/**
 * Starts to watch. It lists and watches again after each end or error of a watch.
 *
 * @param api with full rights, as the kubeconfig
 */
export function watchPods(kubeconfig: string, api: ApiClient, namespace: string): PodWatch {
  const seen = new Map<string, SeenPod>();
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const stopping = new AbortController();

  const isThere = ({ metadata: { name, uid } }: z.infer<typeof PodObject>) => {
    if (!seen.has(uid)) seen.set(uid, { uid, name, seenEpochMs: Date.now() });
  };
  const isGone = (uid: string) => {
    const pod = seen.get(uid);
    if (pod !== undefined) pod.goneEpochMs ??= Date.now();
  };
  const list = async () => {
    const { metadata, items } = PodList.parse((await api.send(path)).body);
    const uids = new Set(items.map((pod) => pod.metadata.uid));
    items.forEach(isThere);
    for (const { uid } of seen.values()) if (!uids.has(uid)) isGone(uid);
    return metadata.resourceVersion;
  };
  const watchOnce = async (resourceVersion: string) => {
    const ended = Promise.withResolvers<void>();
    const controller = await new Watch(config).watch(
      path,
      { resourceVersion },
      (phase, object: unknown) => {
        const pod = PodObject.safeParse(object).data;
        if (pod === undefined) return;
        if (phase === 'DELETED') isGone(pod.metadata.uid);
        else isThere(pod);
      },
      () => ended.resolve(),
    );
    const stop = () => controller.abort();
    stopping.signal.addEventListener('abort', stop, { once: true });
    await ended.promise;
    stopping.signal.removeEventListener('abort', stop);
  };
  const follow = async () => {
    while (!stopping.signal.aborted) {
      // Any error: the API server is away.
      await list()
        .then(watchOnce)
        .catch(() => {});
      await sleep(retryMs);
    }
  };
  void follow();
  return {
    pods: () => [...seen.values()],
    present: () => [...seen.values()].filter(({ goneEpochMs }) => goneEpochMs === undefined),
    [Symbol.dispose]: () => stopping.abort(),
  };
}
