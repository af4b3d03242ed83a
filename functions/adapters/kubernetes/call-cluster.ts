import { setTimeout as sleep } from 'node:timers/promises';
import { ApiException } from '@kubernetes/client-node';
import type { ErrorSubject } from '../../domain/errors.ts';
import { type ApiErrorAnswer, isForbiddenUser, isQuotaConflict } from '../../domain/judge-api-error.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { answerOf, toDavitError } from './to-davit-error.ts';
import { untilReady } from './until-ready.ts';

/** A cluster of the config, and the connection to it that is in use. */
export interface ClusterLink {
  /** The cluster's name in the config. */
  name: string;
  connection: () => ClusterConnection;
  /** Finds anew how the cluster is reached, and connects again. @throws as `AccessSource` */
  renew: () => Promise<void>;
}

/** What is asked of a cluster: for its error's message. */
export interface ClusterCall {
  verb: string;
  resource: string;
  subject: ErrorSubject;
}

/** An answer after which the same call may be made again at once, inside one attempt of a step. */
interface Remedy {
  appliesTo: (answer: ApiErrorAnswer) => boolean;
  mostTimes: number;
  apply: (link: ClusterLink, answer: ApiErrorAnswer) => Promise<void>;
  /** For the message, if it did not help. */
  detail: (link: ClusterLink, answer: ApiErrorAnswer) => string;
}

/** A wait that is longer is the state machine's: a function would be paid for doing nothing. */
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
    detail: (_link, { retryAfterSeconds = 0 }) => `asked again after ${retryAfterSeconds} s, as told`,
  },
  {
    appliesTo: isForbiddenUser,
    mostTimes: 1,
    apply: (link) => untilReady(link.name, link.connection()),
    detail: () => 'asked again once the API server was ready',
  },
  {
    appliesTo: isQuotaConflict,
    mostTimes: 3,
    apply: async () => {},
    detail: () => 'asked again at once, 3 times',
  },
];

/**
 * Makes a call, again where its answer says that it may go through at once: after a 401 with its access found anew,
 * after a throttling for as long as the server says if that is short, after a lack of rights once the server has read
 * them, after a conflict that is the server's own.
 *
 * @throws TransientError or TerminalError, PendingError for a create: what the last answer comes to
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

/** Gives an error of a call its family, as `toDavitError`. */
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
 * As `callCluster`, with the answer itself thrown.
 *
 * @param tried is added what was done about earlier answers
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
