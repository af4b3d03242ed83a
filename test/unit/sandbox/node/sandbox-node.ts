import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject, StoreChange } from '../../../../sandbox/cluster-store.ts';
import type { NodeBehaviour } from '../../../../sandbox/node/behaviour.ts';
import type { ContainerStatus } from '../../../../sandbox/node/container-state.ts';
import type { PodStatus } from '../../../../sandbox/node/pod-status.ts';
import { type NodeOptions, type SandboxNode, startNode } from '../../../../sandbox/node/start-node.ts';
import { MemoryStore, type MemoryStoreOptions } from '../../../../sandbox/store/memory-store.ts';

/** The shortest interval that keeps a node from spinning: tests wait for events, not for time. */
const quick: Partial<NodeBehaviour> = {
  resyncMs: 1,
  imagePullBackOff: { baseMs: 1, maxMs: 1 },
  crashBackOff: { baseMs: 1, maxMs: 1 },
};

/** A store with one node, and the tests' actions on them. */
export class TestCluster implements AsyncDisposable {
  readonly store: MemoryStore;
  readonly node: SandboxNode;
  /** Every written status, by Pod. */
  readonly history = new Map<string, PodStatus[]>();
  readonly directory: string;

  private constructor(store: MemoryStore, node: SandboxNode, directory: string) {
    this.store = store;
    this.node = node;
    this.directory = directory;
    store.subscribe('pods', ({ object }) => {
      const { name } = object.metadata;
      this.history.set(name, [...(this.history.get(name) ?? []), statusOf(object)]);
    });
  }

  static async start(options: Partial<NodeOptions> = {}, storeOptions: MemoryStoreOptions = {}): Promise<TestCluster> {
    const store = new MemoryStore(storeOptions);
    const stateDirectory = mkdtempSync(join(tmpdir(), 'sandbox-node-'));
    const node = await startNode(store, {
      stateDirectory,
      images: { 'sh:1': { command: ['sh', '-c'] } },
      stopGracePeriodMs: 100,
      ...options,
      behaviour: { ...quick, ...options.behaviour },
    });
    return new TestCluster(store, node, stateDirectory);
  }

  /** Creates a Pod; a string is the script of its only container. */
  createPod(name: string, spec: Record<string, unknown> | string, labels: Record<string, string> = {}): KubeObject {
    const whole = typeof spec === 'string' ? { restartPolicy: 'Never', containers: [script('main', spec)] } : spec;
    return this.store.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels },
      spec: whole,
    });
  }

  /** Waits until a Pod's status satisfies `isDone`. */
  async untilStatus(name: string, isDone: (status: PodStatus) => boolean): Promise<PodStatus> {
    const present = this.store.get('pods', 'default', name);
    if (present !== undefined && isDone(statusOf(present))) return statusOf(present);
    const { object } = await this.#next(name, ({ object: pod }) => isDone(statusOf(pod)));
    return statusOf(object);
  }

  async untilPhase(name: string, phase: string): Promise<PodStatus> {
    return this.untilStatus(name, (status) => status.phase === phase);
  }

  /** Waits until the only container of a Pod waits for `reason`. */
  async untilWaiting(name: string, reason: string): Promise<PodStatus> {
    return this.untilStatus(name, ({ containerStatuses: [container] }) => waitingReason(container) === reason);
  }

  async untilGone(name: string): Promise<PodStatus> {
    const { object } = await this.#next(name, ({ type }) => type === 'DELETED');
    return statusOf(object);
  }

  pod(name: string): KubeObject {
    const pod = this.store.get('pods', 'default', name);
    if (pod === undefined) throw new TypeError(`no Pod ${name}`);
    return pod;
  }

  /** The output of the container `main`, and its later output if it is followed. */
  async log(name: string, options: { previous?: boolean; follow?: boolean } = {}): Promise<string> {
    let text = '';
    for await (const line of this.lines(name, options)) {
      text += line;
    }
    return text;
  }

  /** The first lines of output of the container `main`, without line ends. */
  async firstLines(name: string, count: number): Promise<string[]> {
    await this.untilStatus(name, ({ containerStatuses: [container] }) => container?.started === true);
    const lines: string[] = [];
    for await (const line of this.lines(name, { follow: true })) {
      if (lines.push(line.trimEnd()) === count) break;
    }
    return lines;
  }

  async *lines(name: string, options: { previous?: boolean; follow?: boolean }): AsyncGenerator<string> {
    const all = { container: 'main', follow: false, previous: false, timestamps: false, ...options };
    for await (const piece of this.node.logs.read(this.pod(name), all) ?? []) {
      yield piece.toString();
    }
  }

  /** The Events about an object, as reason and message, sorted. */
  events(name: string): string[] {
    return this.store
      .list('events')
      .filter(({ involvedObject }) => (involvedObject as { name: string }).name === name)
      .map((event) => `${String(event['reason'])}: ${String(event['message'])}`)
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.node.stop();
    this.store.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #next(name: string, isDone: (change: StoreChange) => boolean): Promise<StoreChange> {
    return new Promise((resolve) => {
      const unsubscribe = this.store.subscribe('pods', (change) => {
        if (change.object.metadata.name === name && isDone(change)) {
          unsubscribe();
          resolve(change);
        }
      });
    });
  }
}

/** A container that runs a script. */
export function script(name: string, text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name, image: 'sh:1', args: [text], ...more };
}

export function waitingReason(container: ContainerStatus | undefined): string | undefined {
  return container !== undefined && 'waiting' in container.state ? container.state.waiting.reason : undefined;
}

/** The conditions of a status, as `Ready=True`. */
export function conditionsOf(status: PodStatus): string[] {
  return status.conditions.map((condition) => `${condition.type}=${condition.status}`);
}

function statusOf(pod: KubeObject): PodStatus {
  const { phase = '', conditions = [], containerStatuses = [], ...rest } = (pod.status ?? {}) as Partial<PodStatus>;
  return { ...rest, phase, conditions, containerStatuses };
}
