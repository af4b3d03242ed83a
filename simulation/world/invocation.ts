import { type DavitError, PendingError, TerminalError, TransientError } from '../../functions/domain/errors.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import type { ApiServer } from './api-server.ts';
import type { Core } from './core.ts';

/** A service that functions call: a cluster, or one of AWS's. */
export type Service = ApiServer | 'store' | 'states';

/** An API server gives a request up after so long. */
const longestOnTheWayMs = 60_000;

/** One run of one function: it lives until it answers, is killed, or dies. */
export class Invocation {
  readonly core: Core;
  readonly functionName: FunctionName;
  readonly launchId: string;
  /** The uid of each object that this run has read or made, and the launch that its label names. */
  readonly read = new Map<string, string | undefined>();
  readonly #skewMs: number;
  readonly #onDeath: (why: string) => void;
  #alive = true;
  #finished: (() => void) | undefined;

  constructor(core: Core, functionName: FunctionName, launchId: string, onDeath: (why: string) => void) {
    this.core = core;
    this.functionName = functionName;
    this.launchId = launchId;
    this.#onDeath = onDeath;
    this.#skewMs = core.faults.hits('clockSkew', launchId) ? core.random.whole(-2000, 2000) : 0;
  }

  get alive(): boolean {
    return this.#alive;
  }

  readonly nowEpochMs = (): number => this.core.scheduler.nowEpochMs() + this.#skewMs;

  /** Ends the run where it stands: what it waits for never comes. */
  die(why: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.core.history.add({ kind: 'died', launchId: this.launchId, functionName: this.functionName, why });
    this.#onDeath(why);
  }

  /** The run has answered; whatever it still has under way goes nowhere. */
  finish(): void {
    this.#alive = false;
    this.#finished?.();
  }

  /** Has something happen when the run has answered; not when it dies. */
  onFinish(finished: () => void): void {
    this.#finished = finished;
  }

  /** Resolves after the time, or at once when the signal is aborted; never in a run that is dead by then. */
  readonly sleepMs = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        timer.cancel();
        signal?.removeEventListener('abort', wake);
        if (this.#alive) resolve();
      };
      const timer = this.core.scheduler.after(ms, wake);
      signal?.addEventListener('abort', wake);
    });
  };

  /** Makes one call that reads. */
  async reads<Answer>(service: Service, effect: () => Answer): Promise<Answer> {
    return this.#call(service, (resolve, reject) => {
      const refusal = this.#refusal(service, false);
      if (refusal === undefined) resolve(effect());
      else reject(this.#failed(refusal));
    });
  }

  /**
   * Makes one call that writes. It may take effect and seem to have failed, take effect late, or be the last thing that
   * the run does or does not do.
   */
  async writes<Answer>(service: Service, effect: () => Answer): Promise<Answer> {
    const { faults, random, scheduler } = this.core;
    return this.#call(
      service,
      (resolve, reject) => {
        if (faults.hits('crashBeforeWrite', this.launchId)) return this.die('Runtime.ExitError');
        const refusal = this.#refusal(service, true);
        if (refusal !== undefined) return reject(this.#failed(refusal));
        if (isCluster(service) && faults.hits('clusterLateEffect', this.launchId)) {
          scheduler.after(random.between(10, 30_000), () => outcomeOf(effect));
          return reject(this.#failed(unreachable('no answer within 5 s')));
        }
        if (service === 'store' && faults.hits('storeRepeated', this.launchId)) effect();
        const outcome = outcomeOf(effect);
        if (faults.hits('crashAfterWrite', this.launchId)) return this.die('Runtime.ExitError');
        if (isCluster(service) && faults.hits('clusterAnswerLost', this.launchId)) {
          return reject(this.#failed(unreachable('no answer within 5 s')));
        }
        if (service === 'store' && faults.hits('storeAnswerLost', this.launchId)) {
          return reject(this.#failed(storeFailed()));
        }
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.answer);
      },
      () => {
        // The run died while its request was on the way: it may arrive all the same.
        if (random.chance(0.5)) outcomeOf(effect);
      },
    );
  }

  #failed(error: DavitError): DavitError {
    const { launchId, functionName } = this;
    this.core.history.add({ kind: 'callFailed', launchId, functionName, code: error.code });
    return error;
  }

  async #call<Answer>(
    service: Service,
    arrive: (resolve: (answer: Answer) => void, reject: (error: Error) => void) => void,
    arriveFromTheDead?: () => void,
  ): Promise<Answer> {
    const { faults, random, scheduler } = this.core;
    const stallMs = faults.hits('stalled', this.launchId) ? random.between(1000, 90_000) : 0;
    const latencyMs = isCluster(service) ? random.between(2, 30) : random.between(1, 15);
    return new Promise<Answer>((resolve, reject) => {
      scheduler.after(stallMs + latencyMs, () => {
        if (this.#alive) arrive(resolve, reject);
        else if (stallMs < longestOnTheWayMs) arriveFromTheDead?.();
      });
    });
  }

  /** Decides whether a service turns the call down without any effect. */
  #refusal(service: Service, isWrite: boolean): DavitError | undefined {
    const { faults } = this.core;
    const hits = (kind: Parameters<typeof faults.hits>[0]) => faults.hits(kind, this.launchId);
    if (!isCluster(service)) return hits('storeThrottled') ? storeFailed() : undefined;
    if (this.#isOutage(service)) return unreachable('no route to host');
    if (hits('clusterUnreachable')) return unreachable('connection refused');
    if (hits('clusterThrottled')) return new TransientError('ClusterThrottled', 'too many requests');
    if (hits('clusterFault')) return new TransientError('ClusterFault', 'etcdserver: leader changed');
    if (isWrite && hits('clusterConflict')) return new TransientError('WriteConflict', 'resourcequotas was modified');
    if (hits('clusterUnauthorized')) return new TerminalError('ClusterUnauthorized', 'Unauthorized');
    return undefined;
  }

  /** An outage begins with a call that does not get through; nothing gets through until it is over. */
  #isOutage(server: ApiServer): boolean {
    const { faults, random, scheduler } = this.core;
    const nowEpochMs = scheduler.nowEpochMs();
    if (nowEpochMs < server.outageUntilEpochMs) return true;
    if (!faults.hits('clusterOutage', undefined)) return false;
    server.outageUntilEpochMs = nowEpochMs + random.between(5000, 180_000);
    return true;
  }
}

function isCluster(service: Service): service is ApiServer {
  return typeof service !== 'string';
}

/** What a call's effect came to: an object may be refused for now. */
function outcomeOf<Answer>(effect: () => Answer): { answer: Answer } | { error: PendingError } {
  try {
    return { answer: effect() };
  } catch (error) {
    if (error instanceof PendingError) return { error };
    throw error;
  }
}

function unreachable(detail: string): TransientError {
  return new TransientError('ClusterUnreachable', detail);
}

function storeFailed(): TransientError {
  return new TransientError('StoreUnavailable', 'DynamoDB: ProvisionedThroughputExceededException');
}
