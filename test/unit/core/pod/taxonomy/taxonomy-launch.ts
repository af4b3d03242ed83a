import { setTimeout as sleep } from 'node:timers/promises';
import { Profile } from '../../../../../core/config/config.ts';
import type { LaunchState } from '../../../../../core/launch/execution-state.ts';
import type { HostAddress, LaunchPlan } from '../../../../../core/launch/launch-state.ts';
import { createPod } from '../../../../../functions/create-pod/create-pod.ts';
import { createService } from '../../../../../functions/create-service/create-service.ts';
import { pollHostIP } from '../../../../../functions/poll-host-ip/poll-host-ip.ts';
import { pollNodePort } from '../../../../../functions/poll-node-port/poll-node-port.ts';
import { awaitAgent } from '../../../../../functions/publish-token/await-agent.ts';
import type { ObjectPort, ObserveOptions, OpenCluster } from '../../../../../ports/cluster.ts';
import type { KubeObject } from '../../../../../sandbox/cluster-store.ts';
import type { FaultAnswer, FaultEffect, RequestMatch } from '../../../../../sandbox/faults.ts';
import type { SandboxCluster } from '../../../../../sandbox/sandbox-cluster.ts';
import { planOf, recordOf } from '../../../../contract/launch-fixtures.ts';
import { makeTestDeps, type TestDeps, testProfile } from '../../../../support/make-test-deps.ts';
import { portWith } from '../../../../support/port-with.ts';

type Exposed = LaunchPlan & { expose: 'nodePort' };
type Done = Pick<LaunchState, 'service' | 'nodePort' | 'pod' | 'placement'>;

/**
 * The time from a poll step's start to its deadline, in milliseconds. One look ends before the deadline, and the next
 * one with it.
 */
const leftMs = 22_500;

/** The longest real duration of a watch that ends when its step is done. */
const patientWatchMs = 10_000;

/** The real duration of a watch whose step stays undone: the sandbox reports its state at once. */
const vainWatchMs = 100;

/** The steps to which a cluster can report something. */
export type StepName = 'CreateService' | 'PollNodePort' | 'CreatePod' | 'PollHostIP' | 'PublishToken';

/** The launch in which a cluster reports something. */
export interface TaxonomySetUp {
  /** Changes to the spec of the launch's Pod. */
  spec?: object;
  /** The kind of the node's address for the agent. */
  hostAddress?: HostAddress;
  /** The result of the step's first attempt: an error code, or done. */
  first: string;
}

/** A launch on the sandbox cluster, step by step, with a clock that only the test advances. */
export class TaxonomyLaunch {
  readonly sandbox: SandboxCluster;
  readonly deps: TestDeps;
  readonly plan: Exposed;
  readonly #done: Partial<Done> = {};
  readonly #entered = new Map<StepName, number>();
  readonly #isDoneAtOnce: boolean;
  #watchMs = patientWatchMs;

  constructor(sandbox: SandboxCluster, openCluster: OpenCluster, index: number, row: TaxonomySetUp) {
    this.sandbox = sandbox;
    this.#isDoneAtOnce = row.first === 'done';
    const { hostAddress = 'hostIP' } = row;
    this.plan = { ...planOf(`github-1-${index}-1`), expose: 'nodePort', hostAddress };
    const spec = { ...testProfile.template.spec, ...row.spec };
    const profile = Profile.parse({ ...testProfile, template: { spec } });
    this.deps = makeTestDeps({
      openCluster: async (name) => {
        const { services, pods, ...others } = await openCluster(name);
        return { services: this.#shortened(services), pods: this.#shortened(pods), ...others };
      },
      profiles: [profile],
    });
    this.deps.sleepMs = async () => sleep(1);
  }

  /** Runs all steps before a step. */
  async comeTo(step: StepName): Promise<void> {
    await this.deps.launches.request(recordOf(this.plan.launchId, { plan: this.plan }));
    for (const earlier of order.slice(0, order.indexOf(step))) await this.attempt(earlier);
    if (!this.#isDoneAtOnce) this.#watchMs = vainWatchMs;
  }

  /** Makes one attempt of a step, with the output of the steps before it. */
  async attempt(step: StepName): Promise<void> {
    const { deps, plan } = this;
    const { deadlines } = plan;
    const done = this.#done;
    switch (step) {
      case 'CreateService':
        done.service = await createService(deps, plan);
        return;
      case 'PollNodePort': {
        const service = { ...this.#take('service'), createdAtEpochMs: this.#since(step, deadlines.nodePortSeconds) };
        done.nodePort = await pollNodePort(deps, { ...plan, service });
        return;
      }
      case 'CreatePod': {
        const made = await createPod(deps, {
          ...plan,
          service: this.#take('service'),
          nodePort: this.#take('nodePort'),
        });
        done.pod = { ...made, made };
        return;
      }
      case 'PollHostIP': {
        const pod = { ...this.#take('pod'), createdAtEpochMs: this.#since(step, deadlines.placementSeconds) };
        done.placement = await pollHostIP(deps, { ...plan, pod });
        return;
      }
      case 'PublishToken': {
        const token = { publishedAtEpochMs: this.#since(step, deadlines.connectSeconds) };
        const placed = { nodePort: this.#take('nodePort'), pod: this.#take('pod'), placement: this.#take('placement') };
        await awaitAgent(deps, { ...plan, expose: 'nodePort', ...placed, token });
      }
    }
  }

  /** Makes the API server refuse instead of doing its work. */
  answer(match: RequestMatch, answer: FaultAnswer, count?: number): void {
    this.fault(match, { kind: 'answer', answer }, count);
  }

  /** Injects a fault into requests. */
  fault(match: RequestMatch, effect: FaultEffect, count?: number): void {
    this.sandbox.faults.add({ match, effect, ...(count === undefined ? {} : { count }) });
  }

  /** The launch's Pod, once the cluster has reported on it. */
  async podOnce(isSo: (pod: KubeObject) => boolean): Promise<KubeObject> {
    const { store } = this.sandbox;
    const { namespace, agentName } = this.plan;
    const present = store.get('pods', namespace, agentName);
    if (present !== undefined && isSo(present)) return present;
    return await new Promise((resolve) => {
      const stop = store.subscribe('pods', ({ object }) => {
        if (object.metadata.name !== agentName || !isSo(object)) return;
        stop();
        resolve(object);
      });
    });
  }

  /** The launch's Pod, once the scheduler has bound it. */
  async boundPod(): Promise<KubeObject> {
    return await this.podOnce(({ spec }) => spec?.['nodeName'] !== undefined);
  }

  /** Makes the Pod's node report this status from now on. */
  async report(status: Record<string, unknown>): Promise<void> {
    this.sandbox.node.overrideStatus(await this.boundPod(), status);
  }

  /** Adds an Event about the launch's Pod. */
  async addEvent(reason: string, message: string): Promise<void> {
    const { metadata } = await this.boundPod();
    const { name, namespace = '', uid } = metadata;
    this.sandbox.store.create('events', {
      metadata: { name: `${name}.${reason.toLowerCase()}`, namespace },
      involvedObject: { kind: 'Pod', name, namespace, uid },
      type: 'Warning',
      reason,
      message,
      count: 1,
      lastTimestamp: new Date().toISOString(),
    });
  }

  /** Shortens watches: the test's clock advances by the whole time of the watch, and real time hardly. */
  #shortened<View>(port: ObjectPort<View>): ObjectPort<View> {
    const { clock } = this.deps;
    const forMs = (whole: number) => Math.min(whole, this.#watchMs);
    async function* observe(namespace: string, name: string, options: ObserveOptions) {
      const endEpochMs = clock.nowEpochMs() + options.forMs;
      yield* port.observe(namespace, name, { ...options, forMs: forMs(options.forMs) });
      clock.advance(Math.max(0, endEpochMs - clock.nowEpochMs()));
    }
    return portWith(port, { observe });
  }

  #take<Key extends keyof Done>(key: Key): Done[Key] {
    const value = this.#done[key];
    if (value === undefined) throw new Error(`the launch has no ${key} yet`);
    return value;
  }

  /** The start of a step: so long ago that little time is left until its deadline, and later attempts are late. */
  #since(step: StepName, seconds: number): number {
    const since = this.#entered.get(step) ?? this.deps.nowEpochMs() - seconds * 1000 + leftMs;
    this.#entered.set(step, since);
    return since;
  }
}

const order: readonly StepName[] = ['CreateService', 'PollNodePort', 'CreatePod', 'PollHostIP', 'PublishToken'];
