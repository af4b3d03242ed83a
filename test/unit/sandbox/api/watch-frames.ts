import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { KubeConfig } from '@kubernetes/client-node';

/** One line of a watch. */
export interface Frame {
  type: string;
  object: {
    kind?: string;
    code?: number;
    message?: string;
    reason?: string;
    metadata?: { name?: string; resourceVersion?: string; annotations?: Record<string, string> };
    columnDefinitions?: unknown[];
    rows?: { cells: unknown[] }[];
  };
}

/** A watch, read frame by frame; it ends when the server ends it or on disposal. */
export interface OpenWatch extends Disposable {
  /** The next frames, as many as requested; fewer if the watch ends. */
  take(count: number): Promise<Frame[]>;
  /** Resolves when the watch is over, with whether the server ended it properly. */
  ended: Promise<boolean>;
}

/** Opens a watch with a raw request, so that tests see every frame unchanged. */
export const openWatch = async (
  kubeConfig: KubeConfig,
  path: string,
  headers: Record<string, string> = {},
): Promise<OpenWatch> => {
  const cluster = kubeConfig.getCurrentCluster();
  const outgoing = request(new URL(path, cluster?.server), {
    agent: false,
    ca: Buffer.from(cluster?.caData ?? '', 'base64'),
    headers: { authorization: `Bearer ${kubeConfig.getCurrentUser()?.token}`, ...headers },
  });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const ended = new Promise<boolean>((resolve) => {
    response.once('close', () => resolve(response.complete));
    // A broken connection is an error too; `ended` reports the break.
    response.once('error', () => resolve(false));
  });
  const lines = createInterface(response)[Symbol.asyncIterator]();
  return {
    ended,
    take: async (count) => {
      const frames: Frame[] = [];
      while (frames.length < count) {
        const line = await lines.next();
        if (line.done === true) break;
        frames.push(JSON.parse(line.value) as Frame);
      }
      return frames;
    },
    [Symbol.dispose]: () => outgoing.destroy(),
  };
};

/** A frame in short: the event's type and the object's name. */
export const summary = ({ type, object }: Frame): string =>
  `${type} ${object.metadata?.name ?? object.code ?? ''}`.trim();
