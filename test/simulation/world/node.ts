import type { PodView } from '../../../functions/domain/kubernetes-objects.ts';
import { labelKeys } from '../../../functions/domain/names.ts';
import type { Manifest } from '../../../functions/ports/cluster.ts';
import type { Core } from './core.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { NodeWork, SimulatedNamespace } from './namespace.ts';

type Status = NonNullable<PodView['status']>;

/** The process in a Pod's container. */
export interface AgentProcess {
  kill(): void;
}

/** Starts the process of a Pod's container; it calls `exit` if it ends by itself. */
export type StartAgent = (pod: PodView, manifest: Manifest, exit: (code: number) => void) => AgentProcess;

interface PodRun {
  name: string;
  uid: string;
  launchId: string | undefined;
  manifest: Manifest;
  agent: AgentProcess | undefined;
}

const nodes = 4;

/** The scheduler, the kubelets and the virtual nodes, as far as a namespace sees them: the life of each Pod, with what can go wrong in it. */
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
    const run = { name, uid, manifest, launchId: labels?.[labelKeys.launchId], agent: undefined };
    this.#runs.set(uid, run);
    if (!this.#hits('unschedulable', run)) return this.#later(5, 200, () => this.#bind(run));
    const reason = { reason: 'Unschedulable', message: '0/4 nodes are available: 4 Insufficient cpu.' };
    const condition = { type: 'PodScheduled', status: 'False', ...reason };
    this.#later(5, 50, () => this.#report(run, { conditions: [condition] }));
    this.#later(3000, 30_000, () => this.#bind(run));
  }

  podDeleting({ metadata: { name, uid } }: PodView): void {
    const run = this.#runs.get(uid);
    const graceMs = run?.agent === undefined ? 0 : this.#core.random.between(50, 25_000);
    this.#core.scheduler.after(graceMs, () => this.#namespace.removePod(name, uid));
  }

  podGone({ metadata: { uid } }: PodView): void {
    const run = this.#runs.get(uid);
    if (run !== undefined) this.#kill(run);
  }

  #bind(run: PodRun): void {
    const pod = this.#alive(run);
    if (pod === undefined) return;
    const number = this.#core.random.whole(1, nodes);
    const network = 2 * this.#namespace.server.number;
    const hostIP = `10.${network}.0.${number}`;
    const podIP = `10.${network + 1}.${number}.${this.#core.random.whole(1, 254)}`;
    this.#core.history.add({ kind: 'podBound', uid: run.uid, hostIP, podIP });
    const spec = { ...pod.spec, nodeName: `node-${number}` };
    this.#namespace.pods.put({ ...pod, spec, status: { ...pod.status, conditions: [] } });
    const address = { hostIP, podIP };
    if (this.#hits('hostLate', run)) this.#later(2000, 20_000, () => this.#report(run, address));
    else if (!this.#hits('hostMissing', run)) this.#later(1, 100, () => this.#report(run, address));
    this.#pull(run);
  }

  #pull(run: PodRun): void {
    const waiting = (reason: string) => () => {
      const message = 'Back-off pulling image "registry.example/agent:1"';
      this.#report(run, { containerStatuses: [{ name: 'agent', state: { waiting: { reason, message } } }] });
    };
    if (this.#hits('imagePullFails', run)) return this.#later(200, 5000, waiting('ImagePullBackOff'));
    if (!this.#hits('imagePullSlow', run)) return this.#later(50, 2000, () => this.#start(run));
    this.#later(200, 1000, waiting('ErrImagePull'));
    this.#later(2000, 20_000, () => this.#start(run));
  }

  #start(run: PodRun): void {
    const pod = this.#alive(run);
    if (pod === undefined || run.agent !== undefined) return;
    run.agent = this.#startAgent(pod, run.manifest, (code) => this.#containerEnded(run, code));
    const containerStatuses = [{ name: 'agent', state: { running: {} } }];
    if (this.#hits('statusOdd', run)) {
      const phase = this.#core.random.pick(['Unknown', 'Creating', 'Terminated', '']);
      return this.#later(1, 200, () => this.#report(run, { phase, containerStatuses }));
    }
    if (this.#hits('statusLate', run)) {
      this.#later(1, 200, () => this.#report(run, { phase: 'Pending', containerStatuses }));
      this.#later(2000, 40_000, () => this.#report(run, { phase: 'Running', containerStatuses }));
    } else {
      this.#later(1, 200, () => this.#report(run, { phase: 'Running', containerStatuses }));
    }
    this.#mayGoWrong(run);
  }

  /** Lets a Pod that runs meet its end: by itself, or by the infrastructure. */
  #mayGoWrong(run: PodRun): void {
    if (this.#hits('containerCrashes', run)) this.#later(10, 20_000, () => this.#exit(run, 1));
    if (this.#hits('agentLeaves', run)) this.#later(10, 20_000, () => this.#exit(run, 0));
    if (this.#hits('podEvicted', run)) this.#failLater(run, 'Evicted', 'TerminationByKubelet');
    if (this.#hits('podPreempted', run)) this.#failLater(run, 'Preempted', 'PreemptionByScheduler');
    if (this.#hits('spotReclaimed', run)) this.#failLater(run, 'Shutdown', 'TerminationByKubelet');
    if (this.#hits('nodeLost', run)) this.#later(10, 20_000, () => this.#loseNode(run));
  }

  #failLater(run: PodRun, reason: string, cause: string): void {
    this.#later(10, 30_000, () => {
      if (this.#alive(run) === undefined) return;
      this.#kill(run);
      const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: cause }];
      this.#report(run, { phase: 'Failed', reason, message: `The Pod was ended: ${reason}`, conditions });
    });
  }

  /** The control plane hears no more of the node: its Pods are ended minutes later, and live on until then. */
  #loseNode(run: PodRun): void {
    if (this.#alive(run) === undefined) return;
    this.#report(run, { phase: 'Unknown', reason: 'NodeLost' });
    this.#later(10_000, 300_000, () => {
      const reason = 'DeletionByTaintManager';
      this.#report(run, { conditions: [{ type: 'DisruptionTarget', status: 'True', reason }] });
      this.#later(10_000, 60_000, () => {
        if (this.#alive(run) !== undefined) this.#namespace.deletePod(run.name, 'the cluster', true);
      });
    });
  }

  #exit(run: PodRun, code: number): void {
    if (run.agent === undefined) return;
    this.#kill(run);
    this.#containerEnded(run, code);
  }

  #containerEnded(run: PodRun, exitCode: number): void {
    if (this.#alive(run) === undefined) return;
    run.agent = undefined;
    this.#core.history.add({ kind: 'containerEnded', uid: run.uid });
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
    const containerStatuses = [{ name: 'agent', state: { terminated: { exitCode } } }];
    this.#later(1, 100, () => this.#report(run, { containerStatuses }));
    this.#later(100, 1500, () => this.#report(run, { phase }));
  }

  #kill(run: PodRun): void {
    run.agent?.kill();
    run.agent = undefined;
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

  #later(fromMs: number, toMs: number, happens: () => void): void {
    this.#core.scheduler.after(this.#core.random.between(fromMs, toMs), happens);
  }
}
