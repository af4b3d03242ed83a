import type { IncomingMessage } from 'node:http';
import type { Faults, RequestRecord } from '../faults.ts';
import type { PodLogs } from '../pod-logs.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { StatusError } from '../store/status-error.ts';
import { checkAccess, type DenyRule } from './access.ts';
import type { Answer } from './answer.ts';
import { dispatch } from './dispatch.ts';
import { type FaultPlan, faultPlan } from './fault-plan.ts';
import { acceptedForm, type Representation } from './representation.ts';
import type { ResourceRoute } from './route.ts';

/** What requests about objects are answered from. */
export interface AnswerContext {
  store: MemoryStore;
  logs: PodLogs;
  faults: Faults;
  /** What the user may not do. */
  denied: readonly DenyRule[];
  bookmarkIntervalMs: number;
}

/** One request about objects. */
export interface RoutedRequest {
  request: IncomingMessage;
  route: ResourceRoute;
  query: URLSearchParams;
  /** Says that the client is gone. */
  signal: AbortSignal;
}

const recordOf = ({ verb, resource, subresource, namespace, name }: ResourceRoute): RequestRecord => ({
  verb,
  resource: resource.name,
  ...(subresource === undefined ? {} : { subresource }),
  ...(namespace === undefined ? {} : { namespace }),
  ...(name === undefined ? {} : { name }),
  receivedAtEpochMs: Date.now(),
});

const representationFor = ({ request, route, query }: RoutedRequest): Representation => ({
  // A log is text, whatever the client says that it accepts.
  form: route.subresource === 'log' ? 'object' : acceptedForm(request.headers.accept),
  resource: route.resource,
  includeObject: query.get('includeObject') ?? 'Metadata',
});

const waitForEnd = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Waits until it is time or the client is gone. */
const wait = async (delayMs: number, signal: AbortSignal): Promise<void> => {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, delayMs);
  await Promise.race([over, waitForEnd(signal)]);
  clearTimeout(timer);
};

/** Lets go wrong what does so before the request is handled; says whether it is to be handled at all. */
const suffer = async (plan: FaultPlan, signal: AbortSignal): Promise<boolean> => {
  if (plan.delayMs > 0) {
    await wait(plan.delayMs, signal);
  }
  if (plan.hangs) {
    await waitForEnd(signal);
  }
  if (plan.answer !== undefined && !plan.dropsBefore) {
    throw plan.answer;
  }
  return !signal.aborted && !plan.dropsBefore;
};

const answerWith = async (
  context: AnswerContext,
  routed: RoutedRequest,
  plan: FaultPlan,
): Promise<Answer | undefined> => {
  if (!(await suffer(plan, routed.signal))) {
    return undefined;
  }
  checkAccess(context.denied, routed.route);
  const answer = await dispatch({ ...context, ...routed, plan, representation: representationFor(routed) });
  return plan.dropsAfter ? undefined : answer;
};

/**
 * Answers a request about objects, with the faults that are in force.
 *
 * @returns undefined if the connection is to break without an answer
 * @throws StatusError for everything that the API server refuses, or a fault does.
 */
export const objectAnswer = async (context: AnswerContext, routed: RoutedRequest): Promise<Answer | undefined> => {
  const record = recordOf(routed.route);
  const plan = faultPlan(context.faults.take(record), context.faults.random);
  try {
    const answer = await answerWith(context, routed, plan);
    if (answer !== undefined) {
      record.code = answer.code;
    }
    return answer;
  } catch (error) {
    if (error instanceof StatusError) {
      record.code = error.status.code;
    }
    throw error;
  }
};
