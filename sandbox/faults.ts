import type { ResourceName } from './cluster-store.ts';
import { seededRandom } from './seeded-random.ts';

/** A request's verb, as Kubernetes' authorization names it. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** One request that the API server received. */
export interface RequestRecord {
  verb: Verb;
  resource: ResourceName;
  subresource?: string;
  namespace?: string;
  /** The object's name. A list or a create has none. */
  name?: string;
  receivedAtEpochMs: number;
  /** The HTTP status of the answer. Absent until the server answers, and always if it drops the connection. */
  code?: number;
}

/** Selects the requests that are equal in every field that the match sets. */
export type RequestMatch = Partial<Pick<RequestRecord, 'verb' | 'resource' | 'subresource' | 'namespace' | 'name'>>;

/** The answer that a fault sends instead of the real one. */
export interface FaultAnswer {
  code: number;
  /** One of Kubernetes' status reasons, such as `TooManyRequests`. */
  reason: string;
  message: string;
  /** Sent as the header `Retry-After` and in the Status. */
  retryAfterSeconds?: number;
}

/** The effect of a fault. */
export type FaultEffect =
  /** The server handles the request late: after a fixed time, or after a random time within a range. */
  | { kind: 'delay'; delayMs: number | readonly [leastMs: number, mostMs: number] }
  /** The server does not handle the request and sends this answer. */
  | { kind: 'answer'; answer: FaultAnswer }
  /** The connection breaks without an answer, before or after the request took effect. */
  | { kind: 'drop'; when: 'before' | 'after' }
  /** The server neither handles nor answers the request. */
  | { kind: 'hang' }
  /** The watch's connection breaks after this time. */
  | { kind: 'close-watch'; afterMs: number }
  /** The watch stays open but sends nothing after this time. */
  | { kind: 'silence-watch'; afterMs: number }
  /** The watch reports at once that its resourceVersion is Expired, and ends. */
  | { kind: 'expire-watch' }
  /** A new Service has no nodePorts for this time. */
  | { kind: 'late-node-ports'; delayMs: number };

/** One fault, and the requests that it applies to. */
export interface FaultRule {
  match: RequestMatch;
  effect: FaultEffect;
  /** How many requests it applies to. @default all */
  count?: number;
  /** The probability that it applies to a request that matches, 0 to 1. @default 1 */
  probability?: number;
}

/** The settings of a set of faults. */
export interface FaultsOptions {
  /** The seed of the random numbers. The same seed gives the same faults. @default 1 */
  seed?: number;
  /** How many of the last requests to keep. @default 10000 */
  mostRequests?: number;
}

/** The faults of the cluster's API server, and the requests that it received. Both can be used while it runs. */
export class Faults {
  readonly #rules = new Set<{ rule: FaultRule; left: number }>();
  readonly #listeners = new Set<(request: RequestRecord) => void>();
  readonly #mostRequests: number;
  /** Returns the next random number, 0 to 1, from the seed. */
  readonly random: () => number;
  /** The last requests, oldest first. */
  readonly requests: RequestRecord[] = [];

  constructor(options: FaultsOptions = {}) {
    this.random = seededRandom(options.seed ?? 1);
    this.#mostRequests = options.mostRequests ?? 10_000;
  }

  /** Adds a rule. Returns a function that removes it. */
  add(rule: FaultRule): () => void {
    const entry = { rule, left: rule.count ?? Number.POSITIVE_INFINITY };
    this.#rules.add(entry);
    return () => this.#rules.delete(entry);
  }

  /** Removes all rules. */
  clear(): void {
    this.#rules.clear();
  }

  /** Calls `listener` with each request as it arrives. Returns a function that unsubscribes it. */
  onRequest(listener: (request: RequestRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Counts the kept requests that match. */
  count(match: RequestMatch): number {
    return this.requests.filter((request) => matches(match, request)).length;
  }

  /** Records a request and returns the faults that apply to it. Each rule that applies counts down by one. */
  take(request: RequestRecord): FaultEffect[] {
    this.requests.push(request);
    if (this.requests.length > this.#mostRequests) this.requests.shift();
    for (const listener of this.#listeners) listener(request);
    const applying = [...this.#rules].filter(
      ({ rule, left }) => left > 0 && matches(rule.match, request) && this.random() < (rule.probability ?? 1),
    );
    for (const entry of applying) entry.left -= 1;
    return applying.map(({ rule }) => rule.effect);
  }
}

function matches(match: RequestMatch, request: RequestRecord): boolean {
  return (['verb', 'resource', 'subresource', 'namespace', 'name'] as const).every(
    (field) => match[field] === undefined || match[field] === request[field],
  );
}
