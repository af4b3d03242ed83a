import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { present } from '../../core/present.ts';
import type { Faults, RequestRecord } from '../faults.ts';
import { pause } from '../node/pause.ts';
import type { PodLogs } from '../pod-logs.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { StatusError } from '../store/status-error.ts';
import { checkAccess, type DenyRule } from './access.ts';
import type { Answer } from './answer.ts';
import { dispatch } from './dispatch.ts';
import { type FaultPlan, faultPlan } from './fault-plan.ts';
import { acceptedForm, type Representation } from './representation.ts';
import type { ResourceRoute } from './route.ts';

/** The dependencies of answers to requests about objects. */
export interface AnswerContext {
  store: MemoryStore;
  logs: PodLogs;
  faults: Faults;
  /** The actions that are forbidden to the user. */
  denied: readonly DenyRule[];
  bookmarkIntervalMs: number;
}

/** One request about objects. */
export interface RoutedRequest {
  request: IncomingMessage;
  route: ResourceRoute;
  query: URLSearchParams;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

function recordOf({ verb, resource, subresource, namespace, name }: ResourceRoute): RequestRecord {
  return present({ verb, resource: resource.name, subresource, namespace, name, receivedAtEpochMs: Date.now() });
}

function representationFor({ request, route, query }: RoutedRequest): Representation {
  return {
    // A log is text, whatever media type the client accepts.
    form: route.subresource === 'log' ? 'object' : acceptedForm(request.headers.accept),
    resource: route.resource,
    includeObject: query.get('includeObject') ?? 'Metadata',
  };
}

/** Applies the faults that come before the request's handling. Returns whether to handle the request. */
async function suffer(plan: FaultPlan, signal: AbortSignal): Promise<boolean> {
  if (plan.delayMs > 0) await pause(plan.delayMs, signal);
  if (plan.hangs) await once(signal, 'abort');
  if (plan.answer !== undefined && !plan.dropsBefore) throw plan.answer;
  return !signal.aborted && !plan.dropsBefore;
}

async function answerWith(context: AnswerContext, routed: RoutedRequest, plan: FaultPlan): Promise<Answer | undefined> {
  if (!(await suffer(plan, routed.signal))) return undefined;
  checkAccess(context.denied, routed.route);
  const answer = await dispatch({ ...context, ...routed, plan, representation: representationFor(routed) });
  return plan.dropsAfter ? undefined : answer;
}

/**
 * Answers a request about objects, subject to the active faults.
 *
 * @returns the answer, or undefined if the connection must break without one
 * @throws StatusError if the API server or a fault refuses the request.
 */
export async function objectAnswer(context: AnswerContext, routed: RoutedRequest): Promise<Answer | undefined> {
  const record = recordOf(routed.route);
  const plan = faultPlan(context.faults.take(record), context.faults.random);
  try {
    const answer = await answerWith(context, routed, plan);
    if (answer !== undefined) record.code = answer.code;
    return answer;
  } catch (error) {
    if (error instanceof StatusError) record.code = error.status.code;
    throw error;
  }
}
