import type { ResourceName } from './cluster-store.ts';
import { seededRandom } from './seeded-random.ts';

/** What a request asks for, in the words of Kubernetes' authorization. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** One request that the API server got. */
export interface RequestRecord {
  verb: Verb;
  resource: ResourceName;
  subresource?: string;
  namespace?: string;
  /** The object's name; absent from lists and from creates. */
  name?: string;
  receivedAtEpochMs: number;
  /** The HTTP status of the answer; absent until there is one, and for ever if the connection was dropped. */
  code?: number;
}

/** Which requests a rule is for: those that are equal in every field that is there. */
export type RequestMatch = Partial<Pick<RequestRecord, 'verb' | 'resource' | 'subresource' | 'namespace' | 'name'>>;

/** The answer that a fault gives in place of the real one. */
export interface FaultAnswer {
  code: number;
  /** One of Kubernetes' status reasons, such as `TooManyRequests`. */
  reason: string;
  message: string;
  /** Sent as the header `Retry-After` and in the Status. */
  retryAfterSeconds?: number;
}

/** What goes wrong. */
export type FaultEffect =
  /** The request is handled late; between the two if there are two. */
  | { kind: 'delay'; delayMs: number | readonly [leastMs: number, mostMs: number] }
  /** The request is not handled and gets this answer. */
  | { kind: 'answer'; answer: FaultAnswer }
  /** The connection breaks without an answer, before or after the request took effect. */
  | { kind: 'drop'; when: 'before' | 'after' }
  /** The request is neither handled nor answered. */
  | { kind: 'hang' }
  /** The watch's connection breaks after this time. */
  | { kind: 'close-watch'; afterMs: number }
  /** The watch stays open, and says nothing from this time on. */
  | { kind: 'silence-watch'; afterMs: number }
  /** The watch says at once that its resourceVersion is Expired, and ends. */
  | { kind: 'expire-watch' }
  /** A new Service is there without its nodePorts for this time. */
  | { kind: 'late-node-ports'; delayMs: number };

/** One thing that goes wrong, for some requests. */
export interface FaultRule {
  match: RequestMatch;
  effect: FaultEffect;
  /** How many requests it is for; all, if absent. */
  count?: number;
  /** How likely it is for each request that it matches, 0 to 1. @default 1 */
  probability?: number;
}

/** How a set of faults is made. */
export interface FaultsOptions {
  /** Where the chances come from: the same seed, the same faults. @default 1 */
  seed?: number;
  /** How many of the last requests are remembered. @default 10000 */
  mostRequests?: number;
}

/** What goes wrong in the cluster's API server, and what it has been asked; both may be used while it runs. */
export class Faults {
  readonly #rules = new Set<{ rule: FaultRule; left: number }>();
  readonly #listeners = new Set<(request: RequestRecord) => void>();
  readonly #mostRequests: number;
  /** The next chance, 0 to 1; seeded. */
  readonly random: () => number;
  /** The last requests, oldest first. */
  readonly requests: RequestRecord[] = [];

  constructor(options: FaultsOptions = {}) {
    this.random = seededRandom(options.seed ?? 1);
    this.#mostRequests = options.mostRequests ?? 10_000;
  }

  /** Adds a rule; returns how to take it away again. */
  add(rule: FaultRule): () => void {
    const entry = { rule, left: rule.count ?? Number.POSITIVE_INFINITY };
    this.#rules.add(entry);
    return () => this.#rules.delete(entry);
  }

  /** Takes all rules away. */
  clear(): void {
    this.#rules.clear();
  }

  /** Calls `listener` with each request as it comes in; returns how to stop it. */
  onRequest(listener: (request: RequestRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** How many of the remembered requests match. */
  count(match: RequestMatch): number {
    return this.requests.filter((request) => matches(match, request)).length;
  }

  /** Remembers a request and says what goes wrong with it. Each rule that applies is used up by one. */
  take(request: RequestRecord): FaultEffect[] {
    this.requests.push(request);
    if (this.requests.length > this.#mostRequests) {
      this.requests.shift();
    }
    for (const listener of this.#listeners) {
      listener(request);
    }
    const applying = [...this.#rules].filter(
      ({ rule, left }) => left > 0 && matches(rule.match, request) && this.random() < (rule.probability ?? 1),
    );
    for (const entry of applying) {
      entry.left -= 1;
    }
    return applying.map(({ rule }) => rule.effect);
  }
}

const matches = (match: RequestMatch, request: RequestRecord): boolean =>
  (['verb', 'resource', 'subresource', 'namespace', 'name'] as const).every(
    (field) => match[field] === undefined || match[field] === request[field],
  );
