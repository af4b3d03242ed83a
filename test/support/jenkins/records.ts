import type { LabelExpression } from './label-expression.ts';

/** The connection of an agent: how a node starts builds, and how the server ends the connection. */
export interface AgentChannel {
  run(build: JenkinsBuild): void;
  close(): void;
}

/** The cause of a node that was set offline by a person or a program. */
export interface OfflineCause {
  message?: string;
  userId: string;
  atEpochMs: number;
}

/** A node and its computer. */
export interface JenkinsNode {
  readonly name: string;
  readonly labels: readonly string[];
  readonly description: string;
  readonly remoteFs: string;
  readonly mode: 'NORMAL' | 'EXCLUSIVE';
  readonly webSocket: boolean;
  readonly executors: (JenkinsBuild | undefined)[];
  /** Persists over a restart; unlike the loss of a connection. */
  temporaryOfflineCause?: OfflineCause | undefined;
  channel?: AgentChannel | undefined;
  /** Why the connection is gone, after there was one. */
  lostConnection?: string | undefined;
}

/** What a test queues. */
export interface JobRequest {
  name: string;
  /** A label expression. @default any node that is not EXCLUSIVE */
  label?: string;
  /** Run by a shell on the node. @default 'true' */
  script?: string;
  /** @default 0, unlike Jenkins' own 5 s */
  quietPeriodMs?: number;
  /** Whether builds of the job may run at the same time. @default false, as in Jenkins */
  concurrent?: boolean;
}

/** A run of a job. */
export interface JenkinsBuild {
  readonly kind: 'freestyle' | 'pipeline';
  readonly job: string;
  readonly number: number;
  readonly queueId: number;
  readonly script: string;
  readonly causedBy: string;
  readonly startedAtEpochMs: number;
  endedAtEpochMs?: number;
  /** The name of the node on which it runs or ran. */
  builtOn?: string;
  /** Absent while it runs. */
  result?: 'SUCCESS' | 'FAILURE' | 'ABORTED';
  log: string;
}

/** An item of the queue. Once it has left the queue, it stays known for five minutes. */
export interface QueueItem {
  readonly id: number;
  readonly job: string;
  readonly label?: LabelExpression;
  /** The build of which a pipeline's item is a part. */
  readonly partOf?: JenkinsBuild;
  readonly request: JobRequest;
  readonly causedBy: string;
  readonly inQueueSinceEpochMs: number;
  readonly quietUntilEpochMs: number;
  buildableSinceEpochMs?: number;
  state: 'waiting' | 'blocked' | 'buildable' | 'left';
  /** The build that it became; absent when it was cancelled. */
  build?: JenkinsBuild;
}
