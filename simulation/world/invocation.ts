import { type DavitError, PendingError, TerminalError, TransientError } from '../../core/errors/errors.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { ApiServer } from './api-server.ts';
import { CiServer } from './ci-server.ts';
import type { Core } from './core.ts';
import type { CreateOutages } from './create-outages.ts';

/** A service that functions call: a cluster, a CI system, or one of AWS's. */
export type Service = ApiServer | CiServer | 'store' | 'states';

interface CreateTarget {
  server: ApiServer;
  creates: CreateOutages;
}

/** An API server abandons a request after this time. */
const longestOnTheWayMs = 60_000;

/** The longest duration of each kind of outage. */
const longestOutageMs = { clusterOutage: 180_000, clusterPartition: 1_200_000, ciOutage: 180_000 } as const;

/** The errors of failed calls. They exist once, because in some runs most calls fail, and nothing changes an error. */
const failures = {
  noRoute: new TransientError('ClusterUnreachable', 'no route to host'),
  notConnected: new TransientError('ClusterUnreachable', 'connection refused'),
  noAnswer: new TransientError('ClusterUnreachable', 'no answer within 5 s'),
  throttled: new TransientError('ClusterThrottled', 'too many requests'),
  serverFault: new TransientError('ClusterFault', 'etcdserver: leader changed'),
  conflict: new TransientError('WriteConflict', 'resourcequotas was modified'),
  forbidden: new TerminalError('ClusterForbidden', 'pods is forbidden'),
  unauthorized: new TerminalError('ClusterUnauthorized', 'Unauthorized'),
  ciNotConnected: new TransientError('CiUnavailable', 'connection refused'),
  ciUnavailable: new TransientError('CiUnavailable', '503 Service Unavailable'),
  ciNoAnswer: new TransientError('CiUnavailable', 'no answer within 5 s'),
  store: new TransientError('StoreUnavailable', 'DynamoDB: ProvisionedThroughputExceededException'),
} as const satisfies Record<string, DavitError>;

/** One run of one function: it lives until it answers, is killed, or dies. */
export class Invocation {
  readonly core: Core;
  readonly functionName: FunctionName;
  readonly launchId: string;
  /** The uid of each object that this run has read or made, and the launch that its label names. */
  readonly read = new Map<string, string | undefined>();
  readonly #skewMs: number;
  readonly #onDeath: (why: string) => void;
  /** The launches that this run has ended, and whose clean-up it has not requested yet. */
  readonly #owed = new Set<string>();
  #alive = true;
  #finished: (() => void) | undefined;

  constructor(core: Core, functionName: FunctionName, launchId: string, onDeath: (why: string) => void) {
    this.core = core;
    this.functionName = functionName;
    this.launchId = launchId;
    this.#onDeath = onDeath;
    this.#skewMs = core.faults.hits('clockSkew', launchId) ? core.random.whole(-2000, 2000) : 0;
  }

  /** When its last failed call ended, by its own clock. */
  lastFailedAtEpochMs: number | undefined;

  get alive(): boolean {
    return this.#alive;
  }

  readonly nowEpochMs = (): number => this.core.scheduler.nowEpochMs() + this.#skewMs;

  /** Ends the run at once: its pending calls never resolve. */
  die(why: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.core.history.add({ kind: 'died', launchId: this.launchId, functionName: this.functionName, why });
    this.#noteCutOff();
    this.#onDeath(why);
  }

  /** Marks the run as answered: its pending calls have no further effect. */
  finish(): void {
    this.#alive = false;
    this.#finished?.();
  }

  /** Notes that this run ended a launch, perhaps by a write that arrived after its death. */
  ended(launchId: string): void {
    this.#owed.add(launchId);
    if (!this.#alive) this.#noteCutOff();
  }

  /** Notes that Lambda accepted this run's request for a launch's clean-up. */
  requestedCleanUp(launchId: string): void {
    this.#owed.delete(launchId);
  }

  /** Calls back when the run has answered, but not when it dies. */
  onFinish(finished: () => void): void {
    this.#finished = finished;
  }

  /** Resolves after the time, or at once when the signal is aborted; never in a dead run. */
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

  /** @param waitedMs how long the request may have been on the way before: an observation that breaks does not tell */
  reads<Answer>(service: Service, effect: () => Answer, waitedMs = 0): Promise<Answer> {
    const beganAtEpochMs = this.core.scheduler.nowEpochMs() - waitedMs;
    return this.#call(service, (resolve, reject) => {
      const refusal = this.#refusal(service, false);
      if (refusal === undefined) resolve(effect());
      else reject(this.#failed(service, refusal, beganAtEpochMs));
    });
  }

  /**
   * Makes one call that writes. It may take effect and seem to have failed, take effect late, or end the run before or
   * after its effect.
   */
  writes<Answer>(service: Service, effect: () => Answer): Promise<Answer> {
    return this.#writes(service, effect);
  }

  /** Makes one call that creates an object in a namespace, which may refuse all creates. */
  creates<Answer>({ server, creates }: CreateTarget, namespace: string, effect: () => Answer): Promise<Answer> {
    return this.#writes(server, effect, { namespace, refusal: () => creates.refusal(namespace) });
  }

  #writes<Answer>(
    service: Service,
    effect: () => Answer,
    { namespace, refusal: refusalOf }: { namespace?: string; refusal?: () => DavitError | undefined } = {},
  ): Promise<Answer> {
    const { faults, random, scheduler } = this.core;
    const beganAtEpochMs = scheduler.nowEpochMs();
    const failed = (error: DavitError) => this.#failed(service, error, beganAtEpochMs);
    return this.#call(
      service,
      (resolve, reject) => {
        if (faults.hits('crashBeforeWrite', this.launchId)) return this.die('Runtime.ExitError');
        const refusal = this.#refusal(service, true);
        if (refusal !== undefined) return reject(failed(refusal));
        const ofNamespace = refusalOf?.();
        if (ofNamespace !== undefined) return reject(this.#failed(service, ofNamespace, beganAtEpochMs, namespace));
        if (isCluster(service) && faults.hits('clusterLateEffect', this.launchId)) {
          scheduler.after(random.between(10, 30_000), () => outcomeOf(effect));
          return reject(failed(failures.noAnswer));
        }
        if (service === 'store' && faults.hits('storeRepeated', this.launchId)) effect();
        const outcome = outcomeOf(effect);
        if (faults.hits('crashAfterWrite', this.launchId)) return this.die('Runtime.ExitError');
        if (isCluster(service) && faults.hits('clusterAnswerLost', this.launchId)) {
          return reject(failed(failures.noAnswer));
        }
        if (isCi(service) && faults.hits('ciAnswerLost', this.launchId)) {
          return reject(failed(failures.ciNoAnswer));
        }
        if (service === 'store' && faults.hits('storeAnswerLost', this.launchId)) {
          return reject(failed(failures.store));
        }
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.answer);
      },
      () => {
        // The run died while its request was on the way. The request may still arrive.
        if (random.chance(0.5)) outcomeOf(effect);
      },
    );
  }

  /** @param namespace where all creates fail, if that is why */
  #failed(service: Service, error: DavitError, beganAtEpochMs: number, namespace?: string): DavitError {
    this.lastFailedAtEpochMs = this.nowEpochMs();
    const { launchId, functionName } = this;
    const cluster = isCluster(service) ? service.name : undefined;
    const { code } = error;
    const where = { cluster, ...(namespace === undefined ? {} : { namespace }) };
    this.core.history.add({ kind: 'callFailed', launchId, functionName, code, ...where, beganAtEpochMs });
    this.#noteCutOff();
    return error;
  }

  #noteCutOff(): void {
    const { core, functionName } = this;
    for (const launchId of this.#owed) core.history.add({ kind: 'endingCutOff', launchId, functionName });
  }

  #call<Answer>(
    service: Service,
    arrive: (resolve: (answer: Answer) => void, reject: (error: Error) => void) => void,
    arriveFromTheDead?: () => void,
  ): Promise<Answer> {
    const { faults, random, scheduler } = this.core;
    const stallMs = faults.hits('stalled', this.launchId) ? random.between(1000, 90_000) : 0;
    const latencyMs = this.#latencyMs(service);
    return new Promise<Answer>((resolve, reject) => {
      // A CI system's answer takes its time, too: others may act between the effect and the answer.
      const later = <Given>(settle: (given: Given) => void) => {
        if (!isCi(service)) return settle;
        return (given: Given) => scheduler.after(this.#latencyMs(service), () => this.#alive && settle(given));
      };
      scheduler.after(stallMs + latencyMs, () => {
        if (this.#alive) arrive(later(resolve), later(reject));
        else if (stallMs < longestOnTheWayMs) arriveFromTheDead?.();
      });
    });
  }

  #latencyMs(service: Service): number {
    const { faults, random } = this.core;
    if (isCluster(service)) return random.between(2, 30);
    if (!isCi(service)) return random.between(1, 15);
    return faults.hits('ciSlow', this.launchId) ? random.between(200, 2300) : random.between(10, 150);
  }

  /** Decides whether a service refuses the call without any effect. */
  #refusal(service: Service, isWrite: boolean): DavitError | undefined {
    const { faults } = this.core;
    const hits = (kind: Parameters<typeof faults.hits>[0]) => faults.hits(kind, this.launchId);
    if (isCi(service)) {
      if (this.#isOutage(service, 'ciOutage')) return failures.ciNotConnected;
      return hits('ciUnavailable') ? failures.ciUnavailable : undefined;
    }
    if (!isCluster(service)) return hits('storeThrottled') ? failures.store : undefined;
    if (this.#isOutage(service, 'clusterOutage') || this.#isOutage(service, 'clusterPartition')) {
      return failures.noRoute;
    }
    if (hits('clusterUnreachable')) return failures.notConnected;
    if (hits('clusterThrottled')) return failures.throttled;
    if (hits('clusterFault')) return failures.serverFault;
    if (isWrite && hits('clusterConflict')) return failures.conflict;
    if (isWrite && hits('clusterForbidden')) return failures.forbidden;
    if (hits('clusterUnauthorized')) return failures.unauthorized;
    return undefined;
  }

  /** An outage begins with a failed call. Every call fails until it is over. */
  #isOutage(server: ApiServer | CiServer, kind: keyof typeof longestOutageMs): boolean {
    const { faults, random, scheduler } = this.core;
    const nowEpochMs = scheduler.nowEpochMs();
    if (nowEpochMs < server.outageUntilEpochMs) return true;
    if (!faults.hits(kind, undefined)) return false;
    server.outageUntilEpochMs = nowEpochMs + random.between(5000, longestOutageMs[kind]);
    return true;
  }
}

function isCluster(service: Service): service is ApiServer {
  return service instanceof ApiServer;
}

function isCi(service: Service): service is CiServer {
  return service instanceof CiServer;
}

/** Applies a call's effect, which may be a refusal for now. */
function outcomeOf<Answer>(effect: () => Answer): { answer: Answer } | { error: PendingError } {
  try {
    return { answer: effect() };
  } catch (error) {
    if (error instanceof PendingError) return { error };
    throw error;
  }
}
