import { randomBytes } from 'node:crypto';
import { type LabelExpression, parseLabelExpression } from './label-expression.ts';
import type { AgentChannel, JenkinsBuild, JenkinsNode, JobRequest, OfflineCause, QueueItem } from './records.ts';
import { type QueueView, refusalOf } from './why.ts';

/** How a fake Jenkins differs from a plain one. */
export interface StateOptions {
  /** The executors of the controller itself. @default 0, as Jenkins advises */
  builtInExecutors?: number;
  /** How long a pipeline waits for a node that was deleted. @default 5 minutes, as in Jenkins */
  removedNodeTimeoutMs?: number;
}

type Outcome = NonNullable<JenkinsBuild['result']>;
/** A shell's exit code and its output. */
export interface ScriptEnd {
  exitCode: number;
  output: string;
}

/** The user whose actions start builds. */
const alice = 'alice';

/** The nodes, the queue and the builds of a fake Jenkins. `maintain` hands out work as Jenkins' queue does. */
export class JenkinsState {
  readonly nodes = new Map<string, JenkinsNode>();
  readonly items: QueueItem[] = [];
  readonly builds: JenkinsBuild[] = [];
  /** Changes with each start of the server. @see jenkins.model.Jenkins#SESSION_HASH */
  session = newSession();
  quietingDown = false;
  readonly builtInExecutors: number;
  readonly #removedNodeTimeoutMs: number;
  /** Steps that ended while the server was away from their agent. */
  readonly #earlyEnds = new Map<JenkinsBuild, ScriptEnd>();
  #lastId = 0;

  constructor({ builtInExecutors = 0, removedNodeTimeoutMs = 300_000 }: StateOptions) {
    this.builtInExecutors = builtInExecutors;
    this.#removedNodeTimeoutMs = removedNodeTimeoutMs;
  }

  get queue(): QueueItem[] {
    return this.items.filter((item) => item.state !== 'left');
  }

  view(): QueueView {
    return {
      nodes: Array.from(this.nodes.values()),
      builtInExecutors: this.builtInExecutors,
      quietingDown: this.quietingDown,
      nowEpochMs: Date.now(),
      runningBuildOf: (job) => this.#running(job)?.number,
    };
  }

  /** Queues a freestyle job. As in Jenkins, a job that waits is not queued twice. */
  enqueueFreestyle(request: JobRequest): QueueItem {
    const waiting = this.queue.find((item) => item.job === request.name && item.partOf === undefined);
    return waiting ?? this.#enqueue(request, labelIn(request));
  }

  /** Starts a pipeline, whose only `node` block waits in the queue. */
  enqueuePipeline(request: JobRequest): QueueItem {
    const queueId = this.#nextId();
    const build = this.#newBuild('pipeline', request, queueId);
    return this.#enqueue(request, labelIn(request), build);
  }

  cancel(item: QueueItem): void {
    item.state = 'left';
    // ExecutorStepExecution.CancelledItemListener: the pipeline fails.
    if (item.partOf !== undefined) this.#conclude(item.partOf, 'FAILURE');
    this.maintain();
  }

  addNode(node: JenkinsNode): void {
    this.nodes.set(node.name, node);
    this.maintain();
  }

  /** Sets or ends a node's temporary offline state. @see hudson.model.Computer#setTemporaryOfflineCause */
  setTemporaryOfflineCause(node: JenkinsNode, cause: OfflineCause | undefined): void {
    node.temporaryOfflineCause = cause;
    this.maintain();
  }

  /** Removes a node, busy or not. @see jenkins.model.Nodes#removeNode */
  removeNode(node: JenkinsNode): void {
    this.nodes.delete(node.name);
    node.channel?.close();
    this.#loseBuilds(node);
    const orphans = [...this.#buildsOn(node), ...this.queue.flatMap((item) => this.#continuedOn(node, item))];
    // ExecutorStepExecution.RemovedNodeListener
    for (const build of orphans) setTimeout(() => this.#abandon(build), this.#removedNodeTimeoutMs).unref();
    this.maintain();
  }

  connect(node: JenkinsNode, channel: AgentChannel): void {
    node.channel = channel;
    node.lostConnection = undefined;
    this.maintain();
  }

  /** Ends a node's connection: its freestyle build fails at once, and a pipeline waits for the agent. */
  disconnect(node: JenkinsNode, channel: AgentChannel): void {
    if (node.channel !== channel) return;
    node.channel = undefined;
    // `OfflineCause.connection_was_broken_simple` in hudson/slaves/Messages.properties
    node.lostConnection = 'Connection was broken';
    this.#loseBuilds(node);
    this.maintain();
  }

  /** Reports the end of a build's script. */
  finish(job: string, number: number, end: ScriptEnd): void {
    const build = this.builds.find((each) => each.job === job && each.number === number);
    if (build === undefined || build.result !== undefined) return;
    if (this.#executing(build)) this.#conclude(build, end.exitCode === 0 ? 'SUCCESS' : 'FAILURE', end.output);
    else this.#earlyEnds.set(build, end);
    this.maintain();
  }

  /** Restarts the server: connections end, freestyle builds are lost, and pipelines queue for the node they are on. */
  restart(): void {
    this.session = newSession();
    for (const node of this.nodes.values()) {
      const { channel } = node;
      node.channel = undefined;
      channel?.close();
      for (const build of this.#buildsOn(node)) this.#interrupt(node, build);
    }
  }

  /** Hands out work. Jenkins calls it after every change, too. @see hudson.model.Queue#maintain */
  maintain(): void {
    for (const item of this.queue) this.#advance(item);
    if (this.quietingDown) return;
    for (const item of this.queue) {
      if (item.state !== 'buildable') continue;
      const free = (node: JenkinsNode) => node.executors.includes(undefined) && refusalOf(node, item) === undefined;
      const node = Array.from(this.nodes.values()).find(free);
      if (node !== undefined) this.#start(item, node);
    }
  }

  #enqueue(request: JobRequest, label: LabelExpression | undefined, partOf?: JenkinsBuild): QueueItem {
    const now = Date.now();
    const { quietPeriodMs = 0 } = request;
    const item: QueueItem = {
      id: this.#nextId(),
      job: request.name,
      request,
      causedBy: alice,
      inQueueSinceEpochMs: now,
      quietUntilEpochMs: now + quietPeriodMs,
      state: 'waiting',
      ...(label === undefined ? {} : { label }),
      ...(partOf === undefined ? {} : { partOf }),
    };
    this.items.push(item);
    if (quietPeriodMs > 0) setTimeout(() => this.maintain(), quietPeriodMs + 1).unref();
    this.maintain();
    return item;
  }

  /** Moves an item on: waiting, then blocked while the job's build runs, then buildable. */
  #advance(item: QueueItem): void {
    if (item.quietUntilEpochMs > Date.now()) return;
    const isBlocked = item.partOf === undefined && !item.request.concurrent && this.#running(item.job) !== undefined;
    item.buildableSinceEpochMs ??= Date.now();
    item.state = isBlocked ? 'blocked' : 'buildable';
  }

  #start(item: QueueItem, node: JenkinsNode): void {
    const build = item.partOf ?? this.#newBuild('freestyle', item.request, item.id);
    const isContinued = build.builtOn !== undefined;
    node.executors[node.executors.indexOf(undefined)] = build;
    build.builtOn = node.name;
    item.state = 'left';
    item.build = build;
    const early = this.#earlyEnds.get(build);
    if (early !== undefined) this.finish(build.job, build.number, early);
    else if (!isContinued) node.channel?.run(build);
  }

  #newBuild(kind: JenkinsBuild['kind'], { name, script = 'true' }: JobRequest, queueId: number): JenkinsBuild {
    const number = this.builds.filter(({ job }) => job === name).length + 1;
    const build = { kind, job: name, number, queueId, script, causedBy: alice, startedAtEpochMs: Date.now(), log: '' };
    this.builds.push(build);
    return build;
  }

  #conclude(build: JenkinsBuild, result: Outcome, output = ''): void {
    build.result ??= result;
    build.log += output;
    for (const { executors } of this.nodes.values()) {
      if (executors.includes(build)) executors[executors.indexOf(build)] = undefined;
    }
  }

  #loseBuilds(node: JenkinsNode): void {
    for (const build of this.#buildsOn(node)) {
      if (build.kind === 'freestyle') this.#conclude(build, 'FAILURE', 'FATAL: command execution failed\n');
    }
    for (const [index, build] of node.executors.entries()) {
      if (build?.result !== undefined) node.executors[index] = undefined;
    }
  }

  #interrupt(node: JenkinsNode, build: JenkinsBuild): void {
    node.executors[node.executors.indexOf(build)] = undefined;
    // hudson.model.Run#reload
    if (build.kind === 'freestyle') this.#conclude(build, 'ABORTED');
    // ExecutorStepExecution.PlaceholderTask: the label is the node's name once the block runs.
    else this.#enqueue({ name: build.job }, parseLabelExpression(node.name), build);
  }

  #abandon(build: JenkinsBuild): void {
    const item = this.queue.find(({ partOf }) => partOf === build);
    if (item !== undefined) item.state = 'left';
    this.#conclude(build, 'ABORTED', 'Agent was removed\n');
    this.maintain();
  }

  #buildsOn({ executors }: JenkinsNode): JenkinsBuild[] {
    return executors.filter((build) => build !== undefined);
  }

  #continuedOn(node: JenkinsNode, { partOf }: QueueItem): JenkinsBuild[] {
    return partOf?.builtOn === node.name ? [partOf] : [];
  }

  #executing(build: JenkinsBuild): boolean {
    return Array.from(this.nodes.values()).some(({ executors }) => executors.includes(build));
  }

  #running(job: string): JenkinsBuild | undefined {
    return this.builds.find((build) => build.job === job && build.kind === 'freestyle' && build.result === undefined);
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function labelIn({ label }: JobRequest): LabelExpression | undefined {
  return label === undefined ? undefined : parseLabelExpression(label);
}

function newSession(): string {
  return randomBytes(4).toString('hex');
}
