import { randomBytes } from 'node:crypto';
import { BuildQueue, type NewItem } from './build-queue.ts';
import { Builds } from './builds.ts';
import { parseLabelExpression } from './label-expression.ts';
import { buildsOn } from './node-state.ts';
import type { AgentChannel, JenkinsBuild, JenkinsNode, JobRequest, OfflineCause, QueueItem } from './records.ts';
import { mayTake, type QueueView } from './why.ts';

/** A shell's exit code and its output. */
export interface ScriptEnd {
  exitCode: number;
  output: string;
}

/** The nodes, the queue and the builds of a fake Jenkins. `maintain` hands out work as Jenkins' queue does. */
export class JenkinsState {
  readonly nodes = new Map<string, JenkinsNode>();
  /** The jobs that a client has made, by their full names. */
  readonly projects = new Map<string, JobRequest>();
  readonly #queue = new BuildQueue();
  readonly #builds = new Builds();
  /** The items of the queue, also those that have left it and are still known. */
  readonly items = this.#queue.items;
  /** Every build, oldest first. */
  readonly builds = this.#builds.all;
  /** Changes with each start of the server. @see jenkins.model.Jenkins#SESSION_HASH */
  session = newSession();
  /** Hands out no work, before a shutdown. */
  quietingDown = false;
  /** Steps that ended while the server was away from their agent. */
  readonly #earlyEnds = new Map<JenkinsBuild, ScriptEnd>();

  /** The items that wait, oldest first. */
  get queue(): QueueItem[] {
    return this.#queue.waiting;
  }

  view(): QueueView {
    return {
      nodes: Array.from(this.nodes.values()),
      quietingDown: this.quietingDown,
      nowEpochMs: Date.now(),
      runningBuildOf: (job) => this.#builds.runningOf(job)?.number,
    };
  }

  /** Queues a freestyle job. As in Jenkins, a job that waits is not queued twice. */
  enqueueFreestyle(request: JobRequest): QueueItem {
    const waiting = this.queue.find((item) => item.job === request.name && item.partOf === undefined);
    return waiting ?? this.#enqueue({ request, label: labelIn(request) });
  }

  /** Starts a pipeline, whose only `node` block waits in the queue. */
  enqueuePipeline(request: JobRequest): QueueItem {
    const label = labelIn(request);
    const partOf = this.#builds.begin('pipeline', request, this.#queue.nextId());
    return this.#enqueue({ request, label, partOf });
  }

  cancel(item: QueueItem): void {
    item.state = 'left';
    // ExecutorStepExecution.CancelledItemListener: the pipeline fails.
    if (item.partOf !== undefined) this.#conclude(item.partOf, 'FAILURE');
    this.maintain();
  }

  /** Ends a build. The fake's agent lets its script run on. @see hudson.model.Executor#interrupt */
  abort(build: JenkinsBuild): void {
    if (build.result === undefined) this.#conclude(build, 'ABORTED');
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
    // A freestyle build fails when the connection is closed.
    node.channel?.close();
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
    const build = this.#builds.find(job, number);
    if (build === undefined || build.result !== undefined) return;
    const isExecuting = Array.from(this.nodes.values()).some(({ executors }) => executors.includes(build));
    if (isExecuting) this.#conclude(build, end.exitCode === 0 ? 'SUCCESS' : 'FAILURE', end.output);
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
      for (const build of buildsOn(node)) this.#interrupt(node, build);
    }
  }

  /** Hands out work. Jenkins calls it after every change, too. @see hudson.model.Queue#maintain */
  maintain(): void {
    this.#queue.advance((job) => this.#builds.runningOf(job) !== undefined);
    if (this.quietingDown) return;
    for (const item of this.queue) {
      if (item.state !== 'buildable') continue;
      const free = (node: JenkinsNode) => node.executors.includes(undefined) && mayTake(node, item);
      const node = Array.from(this.nodes.values()).find(free);
      if (node !== undefined) this.#start(item, node);
    }
  }

  #enqueue(wanted: NewItem): QueueItem {
    const item = this.#queue.add(wanted);
    const { quietPeriodMs } = wanted.request;
    if (quietPeriodMs !== undefined) setTimeout(() => this.maintain(), quietPeriodMs + 1).unref();
    this.maintain();
    return item;
  }

  #start(item: QueueItem, node: JenkinsNode): void {
    const build = item.partOf ?? this.#builds.begin('freestyle', item.request, item.id);
    const isContinued = build.builtOn !== undefined;
    node.executors[node.executors.indexOf(undefined)] = build;
    build.builtOn = node.name;
    item.state = 'left';
    item.build = build;
    const early = this.#earlyEnds.get(build);
    if (early !== undefined) this.finish(build.job, build.number, early);
    else if (!isContinued) node.channel?.run(build);
    // The job's other item is blocked from now on.
    this.#queue.advance((job) => this.#builds.runningOf(job) !== undefined);
  }

  #conclude(build: JenkinsBuild, result: NonNullable<JenkinsBuild['result']>, output = ''): void {
    build.result ??= result;
    build.endedAtEpochMs ??= Date.now();
    build.log += output;
    for (const { executors } of this.nodes.values()) {
      if (executors.includes(build)) executors[executors.indexOf(build)] = undefined;
    }
  }

  #loseBuilds(node: JenkinsNode): void {
    for (const build of buildsOn(node)) {
      if (build.kind !== 'freestyle') continue;
      this.#conclude(build, 'FAILURE', 'FATAL: command execution failed\n');
      // The node may be gone already.
      if (node.executors.includes(build)) node.executors[node.executors.indexOf(build)] = undefined;
    }
  }

  #interrupt(node: JenkinsNode, build: JenkinsBuild): void {
    node.executors[node.executors.indexOf(build)] = undefined;
    // hudson.model.Run#reload
    if (build.kind === 'freestyle') this.#conclude(build, 'ABORTED');
    // ExecutorStepExecution.PlaceholderTask: the label is the node's name once the block runs.
    else this.#enqueue({ request: { name: build.job }, label: parseLabelExpression(node.name), partOf: build });
  }
}

function labelIn({ label }: JobRequest): NewItem['label'] {
  return label === undefined ? undefined : parseLabelExpression(label);
}

function newSession(): string {
  return randomBytes(4).toString('hex');
}
