import * as z from 'zod';
import type { ClusterStore } from '../cluster-store.ts';
import type { ReadSource } from './environment.ts';

const Texts = z.record(z.string(), z.string()).default({});

/** Reads the Secrets and ConfigMaps of a Namespace. */
export function readSourceIn(store: Pick<ClusterStore, 'get'>, namespace: string): ReadSource {
  return (kind, name) => {
    const object = store.get(kind === 'secret' ? 'secrets' : 'configmaps', namespace, name);
    if (object === undefined) return undefined;
    const texts = Texts.parse(object['data']);
    return kind === 'configmap' ? texts : decoded(texts);
  };
}

function decoded(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
}
