import * as z from 'zod';
import type { Json } from '../../../support/jenkins/exported.ts';

/** What the plugin JenkinsCalls tells. */
export const Details = z.object({
  labels: z.record(z.string(), z.string()),
  nodes: z.record(z.string(), z.object({ labels: z.array(z.string()), reason: z.string(), idle: z.boolean() })),
});
export type Details = z.infer<typeof Details>;

const AnyJson: z.ZodType<Json> = z.json();
const ListedItem = z.object({ id: z.int(), task: z.object({}).catchall(AnyJson) }).catchall(AnyJson);
export const ListedQueue = z.object({ items: z.array(ListedItem) }).catchall(AnyJson);
const ListedComputer = z.object({ displayName: z.string() }).catchall(AnyJson);
const ListedComputers = z.object({ computer: z.array(ListedComputer) }).catchall(AnyJson);

/** Adds to an answer of Hudson what Jenkins' has besides. */
export function addDetails(pathname: string, json: Json, details: Details): Json {
  if (pathname === '/queue/api/json') {
    const queue = ListedQueue.parse(json);
    return { ...queue, items: queue.items.map((item) => withLabel(item, details)) };
  }
  if (pathname === '/computer/api/json') {
    const set = ListedComputers.parse(json);
    return { ...set, computer: set.computer.map((computer) => withNode(computer, details)) };
  }
  return pathname.startsWith('/computer/') ? withNode(ListedComputer.parse(json), details) : json;
}

export function withLabel(item: z.infer<typeof ListedItem>, { labels }: Details): Json {
  return { ...item, task: { ...item.task, labelExpression: labels[item.id] ?? null } };
}

function withNode(computer: z.infer<typeof ListedComputer>, { nodes }: Details): Json {
  const { labels = [], reason = '', idle = true } = nodes[computer.displayName] ?? {};
  const known = typeof computer['idle'] === 'boolean' ? { idle: computer['idle'] && idle } : {};
  return { ...computer, ...known, assignedLabels: labels.map((name) => ({ name })), offlineCauseReason: reason };
}
