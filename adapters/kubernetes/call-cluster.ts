import { setTimeout as sleep } from 'node:timers/promises';
import { ApiException } from '@kubernetes/client-node';
import type { ErrorSubject } from '../../core/errors/errors.ts';
import { type ApiErrorAnswer, isForbiddenUser, isQuotaConflict } from '../../core/pod/judge-api-error.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { answerOf, toDavitError } from './to-davit-error.ts';
import { untilReady } from './until-ready.ts';

/** A cluster of the config, and the connection in use. */
export interface ClusterLink {
  /** The cluster's name in the config. */
  name: string;
  connection: () => ClusterConnection;
  /** Reads the cluster's access again, and reconnects. @throws as `AccessSource` */
  renew: () => Promise<void>;
  /** Where given, all who observe objects of a collection share one watch, until this is aborted. */
  watchesTogether?: AbortSignal | undefined;
}

/** The request to the cluster, for the error's message. */
export interface ClusterCall {
  verb: string;
  resource: string;
  subject: ErrorSubject;
}

/** An answer after which davit may repeat the call at once, inside one attempt of a step. */
interface Remedy {
  appliesTo: (answer: ApiErrorAnswer) => boolean;
  mostTimes: number;
  apply: (link: ClusterLink, answer: ApiErrorAnswer) => Promise<void>;
  /** For the message, if it did not help. */
  detail: (link: ClusterLink, answer: ApiErrorAnswer) => string;
}

/** The state machine waits longer pauses, because AWS bills a function even while it waits. */
const longestWaitSeconds = 5;

const remedies: readonly Remedy[] = [
  {
    appliesTo: ({ httpStatus }) => httpStatus === 401,
    mostTimes: 1,
    apply: (link) => link.renew(),
    detail: (link) => {
      const { authenticatedBy, renewedBy } = link.connection();
      return `authenticated by ${authenticatedBy}, and again after ${renewedBy}`;
    },
  },
  {
    appliesTo: ({ httpStatus, retryAfterSeconds }) =>
      (httpStatus === 429 || httpStatus >= 500) &&
      retryAfterSeconds !== undefined &&
      retryAfterSeconds <= longestWaitSeconds,
    mostTimes: 1,
    apply: async (_link, { retryAfterSeconds = 0 }) => await sleep(retryAfterSeconds * 1000),
    detail: (_link, { retryAfterSeconds = 0 }) => `asked again after ${retryAfterSeconds} s, as the server asked`,
  },
  {
    appliesTo: isForbiddenUser,
    mostTimes: 1,
    apply: (link) => untilReady(link.name, link.connection()),
    detail: () => 'asked again once the API server was ready',
  },
  { appliesTo: isQuotaConflict, mostTimes: 3, apply: async () => {}, detail: () => 'asked again at once, 3 times' },
];

/**
 * Makes a call, and repeats it if the answer says that a repeat may succeed at once: after a 401 with the access read
 * again; after throttling, when the server's pause is short; after a lack of rights, once the server has read its RBAC
 * rules; after a conflict inside the server.
 *
 * @throws TransientError or TerminalError, for a create also PendingError, from the last answer
 */
export async function callCluster<Result>(
  link: ClusterLink,
  call: ClusterCall,
  make: (connection: ClusterConnection) => Promise<Result>,
): Promise<Result> {
  const tried: string[] = [];
  try {
    return await withRemedies(link, make, tried);
  } catch (error) {
    throw clusterError(link, call, error, tried);
  }
}

/** Turns an error of a call into a davit error, as `toDavitError`. */
export function clusterError(
  link: ClusterLink,
  { verb, resource, subject }: ClusterCall,
  error: unknown,
  tried: readonly string[] = [],
): unknown {
  const { endpoint } = link.connection();
  return toDavitError(error, {
    what: `${verb} ${resource}`,
    endpoint,
    subject: { cluster: link.name, ...subject },
    tried,
  });
}

/**
 * Like `callCluster`, but throws the answer itself.
 *
 * @param tried receives the remedies for earlier answers
 * @throws ApiException, what fetch throws, or what `renew` and `untilReady` throw
 */
export async function withRemedies<Result>(
  link: ClusterLink,
  make: (connection: ClusterConnection) => Promise<Result>,
  tried: string[] = [],
): Promise<Result> {
  const left = new Map(remedies.map((remedy) => [remedy, remedy.mostTimes]));
  for (;;) {
    try {
      return await make(link.connection());
    } catch (error) {
      if (!(error instanceof ApiException)) throw error;
      const answer = answerOf(error);
      const remedy = remedies.find(({ appliesTo }) => appliesTo(answer));
      const times = remedy === undefined ? 0 : (left.get(remedy) ?? 0);
      if (remedy === undefined || times === 0) throw error;
      left.set(remedy, times - 1);
      await remedy.apply(link, answer);
      if (times === 1) tried.push(remedy.detail(link, answer));
    }
  }
}
