import { type ErrorSubject, TerminalError } from '../../core/errors/errors.ts';
import type { Signal } from '../../core/launch/launch-record.ts';
import { mayHaveSetupTrouble, setupTroubleCode } from '../../core/pod/judge-pod-setup.ts';
import type { PodView } from '../../core/pod/kubernetes-objects.ts';
import type { PodVerdict } from '../../core/pod/pod-verdict.ts';
import type { Launches } from '../../ports/launches.ts';
import { applyVerdict } from './apply-verdict.ts';
import { type LaunchWithPod, type PodSource, readHoldUp, readVerdict } from './read-verdict.ts';

/** The dependencies of monitoring a launch's Pod. */
export interface MonitorDeps {
  launches: Pick<Launches, 'get' | 'noteSignal' | 'clearSignal'>;
  nowEpochMs: () => number;
}

/** The result of an observation: the verdict's words and subject, the Pod, and the running grace period. */
export interface Conclusion {
  detail: string;
  subject: ErrorSubject;
  /** The Pod's last seen state; undefined if it was gone. */
  pod: PodView | undefined;
  /** When lasting trouble will fail the launch; undefined when no grace period runs. */
  graceEndEpochMs: number | undefined;
  /** The signal in the launch's record. */
  signal: Signal | undefined;
}

/** Judges a launch's Pod during one attempt of a step, and fails the attempt as the verdicts say. */
export class PodMonitor {
  readonly #deps: MonitorDeps;
  readonly #source: PodSource;
  readonly #launch: LaunchWithPod;
  readonly #subject: ErrorSubject;
  #pod: PodView | undefined;
  #verdict: PodVerdict | undefined;
  #signal: Signal | undefined;

  /**
   * @param subject the names that every error of this launch carries
   * @param signal the signal in the launch's record as the attempt begins
   */
  constructor(
    deps: MonitorDeps,
    source: PodSource,
    launch: LaunchWithPod,
    subject: ErrorSubject,
    signal: Signal | undefined,
  ) {
    this.#deps = deps;
    this.#source = source;
    this.#launch = launch;
    this.#subject = subject;
    this.#signal = signal;
  }

  /**
   * When the latest trouble will fail the launch if it lasts; undefined when no grace period runs. While only Events show
   * the trouble, the Pod's status looks healthy.
   */
  get graceEndEpochMs(): number | undefined {
    const signal = this.#signal;
    if (signal === undefined) return undefined;
    const isOfEvents = signal.code === setupTroubleCode && signal.container === undefined;
    const grace = this.#verdict?.kind === 'grace' ? this.#verdict.grace : isOfEvents ? 'containerSeconds' : undefined;
    return grace && signal.sinceEpochMs + this.#launch.graces[grace] * 1000;
  }

  /** Returns the Pod as it was seen last, and otherwise reads it; undefined when it is gone. @throws TransientError */
  async lastSeen(): Promise<PodView | undefined> {
    return this.#pod ?? (await this.#readPod());
  }

  /**
   * Judges the Pod's present state.
   *
   * @param pod undefined when it is gone
   * @throws TerminalError or RelaunchError with the verdict's code; TransientError when the cluster cannot be read
   */
  async see(pod: PodView | undefined): Promise<void> {
    await this.#judge(pod);
  }

  /**
   * Ends the observation. Reads the Pod if the look saw no change, because a Pod that cannot start may not change at
   * all. Also reads it if a grace period has ended since, because lasting trouble causes no change. Reads the Events of
   * a Pod in which no container has started, because its status says too little.
   *
   * @throws as `see`
   */
  async conclude(): Promise<Conclusion> {
    const { graceEndEpochMs } = this;
    const isOverdue = graceEndEpochMs !== undefined && this.#deps.nowEpochMs() >= graceEndEpochMs;
    const seen = isOverdue ? undefined : this.#verdict;
    const verdict = seen ?? (await this.#judge(await this.#readPod()));
    const last = await this.#apply(await readHoldUp(this.#source, this.#launch, this.#pod, verdict));
    if (isWell(last)) await this.#clearSignal();
    return {
      detail: last.detail,
      subject: this.#subjectOf(last),
      pod: this.#pod,
      graceEndEpochMs: this.graceEndEpochMs,
      signal: this.#signal,
    };
  }

  async #judge(pod: PodView | undefined): Promise<PodVerdict> {
    this.#pod = pod;
    const verdict = await this.#apply(await readVerdict(this.#source, this.#launch, pod));
    // While a Pod may be held up, its status shows only its containers; Events show its sandbox and volumes.
    const tellsAll = pod === undefined || !mayHaveSetupTrouble(pod) || this.#signal?.container !== undefined;
    if (isWell(verdict) && tellsAll) await this.#clearSignal();
    return verdict;
  }

  /** @returns the verdict in effect: a later one, when the trouble has ended before its grace period ran out */
  async #apply(verdict: PodVerdict): Promise<PodVerdict> {
    const subject = this.#subjectOf(verdict);
    const { signal, overdueSeconds } = await applyVerdict(this.#deps, this.#launch, verdict, subject, this.#signal);
    this.#verdict = verdict;
    this.#signal = signal;
    return overdueSeconds === undefined ? verdict : this.#confirm(verdict, overdueSeconds);
  }

  /**
   * Fails a launch whose trouble has outlasted its grace period, if a new read still shows the trouble: a suspended
   * function may see trouble late that ended long ago.
   */
  async #confirm(overdue: PodVerdict, lastedSeconds: number): Promise<PodVerdict> {
    const pod = await this.#readPod();
    this.#pod = pod;
    const verdict = await readHoldUp(
      this.#source,
      this.#launch,
      pod,
      await readVerdict(this.#source, this.#launch, pod),
    );
    if (verdict.kind !== 'grace' || !isSameTrouble(verdict, overdue)) return this.#apply(verdict);
    const graceSeconds = this.#launch.graces[verdict.grace];
    const detail = `${verdict.detail} (for ${Math.round(lastedSeconds)} s; grace is ${graceSeconds} s)`;
    throw new TerminalError(verdict.code, detail, this.#subjectOf(verdict));
  }

  /** Ends the grace period of trouble that is over. If the trouble comes back, a new period starts. */
  async #clearSignal(): Promise<void> {
    if (this.#signal === undefined) return;
    await this.#deps.launches.clearSignal(this.#launch.launchId, this.#deps.nowEpochMs());
    this.#signal = undefined;
  }

  #subjectOf(verdict: PodVerdict): ErrorSubject {
    return { ...this.#subject, ...verdict.subject };
  }

  async #readPod(): Promise<PodView | undefined> {
    return this.#source.pods.get(this.#launch.namespace, this.#launch.agentName);
  }
}

function isWell(verdict: PodVerdict): boolean {
  return verdict.kind === 'wait' && verdict.signal === undefined;
}

function isSameTrouble(one: PodVerdict, other: PodVerdict): boolean {
  return (
    one.kind === 'grace' &&
    other.kind === 'grace' &&
    one.code === other.code &&
    one.subject.container === other.subject.container
  );
}
