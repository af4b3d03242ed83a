import * as z from '../../core/zod.ts';

/** Selects the fields of `Queue` in an answer. */
export const queueTree =
  'items[id,inQueueSince,why,buildable,buildableStartMilliseconds,task[name,url,labelExpression]]';

/** An item of the queue: a freestyle job, or the part of a pipeline that waits for an agent. */
export const QueueItem = z.object({
  id: z.int(),
  inQueueSince: z.int(),
  /** Why it waits, in the language of the request. */
  why: z.nullish(z.string()),
  /** Whether it waits only for an agent. */
  buildable: z.boolean(),
  buildableStartMilliseconds: z.optional(z.int()),
  task: z.object({
    name: z.optional(z.string()),
    /** The URL of the job; for a pipeline's part that of its build, relative to Jenkins. */
    url: z.optional(z.string()),
    /** Absent for a pipeline's part. */
    labelExpression: z.nullish(z.string()),
  }),
});
export type QueueItem = z.infer<typeof QueueItem>;
export const Queue = z.object({ items: z.array(QueueItem) });

/** Selects the fields of `KnownItem` in an answer. */
export const itemTree = 'id,inQueueSince,buildable,cancelled,executable[url]';

/** An item that is in the queue, or has left it less than five minutes ago. */
export const KnownItem = z.object({
  inQueueSince: z.int(),
  buildable: z.optional(z.boolean()),
  /** Absent while it is in the queue. */
  cancelled: z.optional(z.boolean()),
  executable: z.nullish(z.object({ url: z.string() })),
});
export type KnownItem = z.infer<typeof KnownItem>;

/** Selects the fields of `Nodes` in an answer. */
export const nodesTree =
  'computer[displayName,description,idle,offline,temporarilyOffline,offlineCauseReason,assignedLabels[name],executors[currentExecutable[url]]]';

const Executable = z.nullish(z.object({ ['_class']: z.optional(z.string()), url: z.optional(z.string()) }));

/** A node of Jenkins. */
export const JenkinsNode = z.object({
  displayName: z.string(),
  description: z.nullish(z.string()),
  /** Whether Jenkins runs nothing on it: an agent whose step outlives a restart of Jenkins is idle, too. */
  idle: z.boolean(),
  /** Whether it has no agent, or is set offline. */
  offline: z.boolean(),
  /** Whether a user has set it offline. */
  temporarilyOffline: z.boolean(),
  /** The reason alone, without the user who gave it. */
  offlineCauseReason: z.nullish(z.string()),
  /** The node's own name is one of them. */
  assignedLabels: z.array(z.object({ name: z.string() })),
  /** Jenkins leaves out the builds that davit's user may not read. */
  executors: z.array(z.object({ currentExecutable: Executable })),
});
export type JenkinsNode = z.infer<typeof JenkinsNode>;
export const Nodes = z.object({ computer: z.array(JenkinsNode) });

/** Selects the fields of `Build` in an answer. */
export const buildTree = 'building,result,builtOn,timestamp,duration';

/** A build. */
export const Build = z.object({
  building: z.boolean(),
  result: z.nullish(z.string()),
  /** The name of the node of a freestyle build; empty for the built-in node. A pipeline has none. */
  builtOn: z.optional(z.string()),
  /** When it began. */
  timestamp: z.optional(z.int()),
  /** How long it took, in milliseconds; 0 while it runs. */
  duration: z.optional(z.int()),
});
export type Build = z.infer<typeof Build>;

/** @see org.jenkinsci.plugins.workflow.support.steps.ExecutorStepExecution */
const pipelinePart = /\$PlaceholderExecutable$/;

/** The URLs of what runs on a node, and whether each is a whole build or a part of a pipeline. */
export function runningOn({ executors }: JenkinsNode): { url: string; isWholeBuild: boolean }[] {
  return executors.flatMap(({ currentExecutable }) => {
    const { url, ['_class']: className = '' } = currentExecutable ?? {};
    return url === undefined ? [] : [{ url, isWholeBuild: !pipelinePart.test(className) }];
  });
}
