import { isoTime } from '../../core/epoch-ms.ts';
import type { RelaunchCode } from '../../core/errors/error-codes.ts';
import { labelKeys } from '../../core/launch/names.ts';
import type { PodView } from '../../core/pod/kubernetes-objects.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import type { Core } from './core.ts';
import type { FaultKind } from './fault-kinds.ts';
import { Kubelet, type RunningPod } from './kubelet.ts';
import type { NodeWork, SimulatedNamespace } from './namespace.ts';

type Status = NonNullable<PodView['status']>;
type Container = PodView['spec']['containers'][number];

/** The process in the agent's container. */
export interface AgentProcess {
  kill(): void;
  /** Fails its job, as a runner does that is told to stop. */
  failJob(): void;
}

/** Starts the process of a Pod's agent; it calls `exit` if it ends by itself. */
export type StartAgent = (pod: PodView, manifest: Manifest, exit: (code: number) => void) => AgentProcess;

interface PodRun extends RunningPod {
  manifest: Manifest;
  kubelet: Kubelet | undefined;
  agent: AgentProcess | undefined;
  nodeName: string;
}

const nodes = 4;

/** The reasons of the condition that a Pod has from the moment at which its containers are told to stop. */
const announcedAs = {
  PodEvicted: 'EvictionByEvictionAPI',
  PodPreempted: 'PreemptionByScheduler',
  NodeLost: 'DeletionByTaintManager',
} as const;

/** The container that runs the agent. */
export const agentContainer = 'agent';

/** The scheduler, the kubelets and the virtual nodes, as a namespace sees them: each Pod's life, with its faults. */
export class SimulatedNode implements NodeWork {
  readonly #core: Core;
  readonly #namespace: SimulatedNamespace;
  readonly #startAgent: StartAgent;
  readonly #runs = new Map<string, PodRun>();

  constructor(core: Core, namespace: SimulatedNamespace, startAgent: StartAgent) {
    this.#core = core;
    this.#namespace = namespace;
    this.#startAgent = startAgent;
  }

  podCreated(pod: PodView, manifest: Manifest): void {
    const { name, uid, labels } = pod.metadata;
    const launchId = labels?.[labelKeys.launchId];
    const nodeName = `node-${this.#core.random.whole(1, nodes)}`;
    const run = { name, uid, launchId, spec: pod.spec, manifest, nodeName, kubelet: undefined, agent: undefined };
    this.#runs.set(uid, run);
    if (!this.#hits('unschedulable', run)) return this.#core.later(5, 200, () => this.#bind(run));
    const message = '0/4 nodes are available: 4 Insufficient cpu.';
    this.#namespace.events.add(run, 'Warning', 'FailedScheduling', message);
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    this.#core.later(5, 50, () => this.#report(run, { conditions: [condition] }));
    this.#core.later(3000, 30_000, () => this.#bind(run));
  }

  podDeleting({ metadata: { name, uid } }: PodView): void {
    const run = this.#runs.get(uid);
    const graceMs = run?.agent === undefined ? 0 : this.#core.random.between(50, 25_000);
    this.#core.scheduler.after(graceMs, () => {
      if (run === undefined || !this.#hits('podOutlives', run)) return this.#namespace.removePod(name, uid);
      this.#kill(run);
      this.#core.later(5000, 200_000, () => this.#namespace.removePod(name, uid));
    });
  }

  podGone({ metadata: { uid } }: PodView): void {
    const run = this.#runs.get(uid);
    if (run !== undefined) this.#kill(run);
  }

  #bind(run: PodRun): void {
    const pod = this.#alive(run);
    if (pod === undefined) return;
    const { nodeName, uid } = run;
    const list = this.#namespace.server.nodes;
    const addresses = list.bind(nodeName, () => this.#removePod(run));
    const { hostIP, externalIP } = addresses;
    const podIP = `10.${2 * this.#namespace.server.number + 1}.${hostIP.split('.')[3]}.${this.#core.random.whole(1, 254)}`;
    this.#core.history.add({ kind: 'podBound', uid, hostIP, podIP, externalIP });
    this.#namespace.events.add(run, 'Normal', 'Scheduled', `Successfully assigned ${run.name} to ${nodeName}`);
    this.#namespace.pods.put({ ...pod, spec: { ...pod.spec, nodeName }, status: { ...pod.status, conditions: [] } });
    const tell = () => {
      list.report(nodeName);
      this.#report(run, { hostIP, podIP });
    };
    if (this.#hits('hostLate', run)) this.#core.later(2000, 20_000, tell);
    else if (!this.#hits('hostMissing', run)) this.#core.later(1, 100, tell);
    run.kubelet = this.#kubeletOf(run);
    run.kubelet.run();
    if (this.#hits('nodeGone', run)) this.#core.later(10, 60_000, () => list.remove(nodeName, addresses));
  }

  #kubeletOf(run: PodRun): Kubelet {
    return new Kubelet(this.#core, this.#namespace.events, run, {
      isThere: () => this.#alive(run) !== undefined,
      statuses: (_pod, of, statuses) =>
        this.#report(run, of === 'init' ? { initContainerStatuses: statuses } : { containerStatuses: statuses }),
      started: (_pod, container) => {
        if (container.name === agentContainer) this.#start(run);
      },
      ended: (_pod, container, exitCode) => this.#containerEnded(run, container.name, exitCode),
    });
  }

  #start(run: PodRun): void {
    const pod = this.#alive(run);
    if (pod === undefined || run.agent !== undefined) return;
    run.agent = this.#startAgent(pod, run.manifest, (code) => this.#containerEnded(run, agentContainer, code));
    this.#mayGoWrong(run);
    if (this.#hits('statusOdd', run)) {
      const phase = this.#core.random.pick(['Unknown', 'Creating', 'Terminated', '']);
      return this.#core.later(1, 200, () => this.#report(run, { phase }));
    }
    if (this.#hits('statusLate', run)) this.#core.later(2000, 40_000, () => this.#report(run, { phase: 'Running' }));
    else this.#core.later(1, 200, () => this.#report(run, { phase: 'Running' }));
  }

  /** Ends a running Pod: by itself, or by infrastructure. */
  #mayGoWrong(run: PodRun): void {
    if (this.#hits('containerCrashes', run)) this.#core.later(10, 20_000, () => this.#exit(run, 1));
    if (this.#hits('agentLeaves', run)) this.#core.later(10, 20_000, () => this.#exit(run, 0));
    if (this.#hits('podEvicted', run)) this.#failLater(run, 'PodEvicted', 'Evicted', 'TerminationByKubelet');
    if (this.#hits('podPreempted', run)) this.#failLater(run, 'PodPreempted', 'Preempting', 'PreemptionByScheduler');
    if (this.#hits('spotReclaimed', run)) this.#failLater(run, 'NodeLost', 'NodeShutdown', 'TerminationByKubelet');
    if (this.#hits('nodeLost', run)) this.#core.later(10, 20_000, () => this.#loseNode(run));
  }

  #failLater(run: PodRun, code: keyof typeof announcedAs, reason: string, cause: string): void {
    this.#core.later(10, 30_000, () => {
      if (this.#isOver(run)) return;
      this.#take(run, code);
      const end = () => {
        this.#kill(run);
        const conditions = [this.#disruption(cause)];
        this.#report(run, { phase: 'Failed', reason, message: `The Pod was ended: ${reason}`, conditions });
      };
      if (!this.#hits('runnerFailsJob', run)) return end();
      this.#report(run, { conditions: [this.#disruption(announcedAs[code])] });
      run.agent?.failJob();
      this.#core.later(500, 25_000, end);
    });
  }

  /** The control plane loses the node. It ends the node's Pods minutes later; they live on until then. */
  #loseNode(run: PodRun): void {
    if (this.#isOver(run)) return;
    this.#take(run, 'NodeLost');
    this.#report(run, { phase: 'Unknown', reason: 'NodeLost' });
    this.#core.later(10_000, 300_000, () => {
      if (this.#alive(run) === undefined) return;
      const reason = 'DeletionByTaintManager';
      this.#namespace.events.add(run, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${run.name}`);
      this.#report(run, { conditions: [this.#disruption(reason)] });
      this.#core.later(10_000, 60_000, () => {
        if (this.#alive(run) !== undefined) this.#namespace.deletePod(run.name, 'the cluster', true);
      });
    });
  }

  /** An autoscaler has removed the Pod's node: the garbage collector marks the Pod and removes it at once. */
  #removePod(run: PodRun): void {
    if (this.#isOver(run)) return;
    this.#kill(run);
    this.#take(run, 'NodeLost');
    this.#report(run, { phase: 'Failed', conditions: [this.#disruption('DeletionByPodGC')] });
    this.#namespace.removePod(run.name, run.uid);
  }

  #disruption(reason: string) {
    const lastTransitionTime = isoTime(this.#core.scheduler.nowEpochMs());
    return { type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime };
  }

  #take({ uid }: PodRun, code: RelaunchCode): void {
    this.#core.history.add({ kind: 'podTaken', uid, code });
  }

  #exit(run: PodRun, code: number): void {
    if (run.agent === undefined) return;
    this.#kill(run);
    this.#containerEnded(run, agentContainer, code);
  }

  /** Ends the Pod when its agent has ended, or when an init container has failed, after which no container starts. */
  #containerEnded(run: PodRun, container: Container['name'], exitCode: number): void {
    if (this.#alive(run) === undefined) return;
    run.agent = undefined;
    this.#core.history.add({ kind: 'containerEnded', uid: run.uid, container, exitCode });
    run.kubelet?.end(container, exitCode);
    for (const { name } of run.spec.containers) {
      if (container === agentContainer && name !== container) this.#core.later(1, 300, () => run.kubelet?.end(name, 0));
    }
    this.#core.later(600, 1500, () => this.#report(run, { phase: exitCode === 0 ? 'Succeeded' : 'Failed' }));
  }

  #kill(run: PodRun): void {
    run.agent?.kill();
    run.agent = undefined;
  }

  #isOver(run: PodRun): boolean {
    const phase = this.#alive(run)?.status?.phase ?? 'Failed';
    return phase === 'Failed' || phase === 'Succeeded';
  }

  /** Changes a Pod's status, unless it is over already. */
  #report(run: PodRun, change: Partial<Status>): void {
    const pod = this.#alive(run);
    if (pod === undefined || pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return;
    const { phase } = change;
    if (phase === 'Failed' || phase === 'Succeeded') {
      this.#core.history.add({ kind: 'podOver', uid: run.uid, phase });
    }
    this.#namespace.pods.put({ ...pod, status: { ...pod.status, ...change } });
  }

  #alive({ name, uid }: PodRun): PodView | undefined {
    return this.#namespace.pods.find(name, uid);
  }

  #hits(kind: FaultKind, { launchId }: PodRun): boolean {
    return this.#core.faults.hits(kind, launchId);
  }
}
