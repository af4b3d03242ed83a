import type { FunctionName } from '../../runtime/function-settings.ts';
import type { StoreChange } from '../../sandbox/cluster-store.ts';
import type { FaultEffect, RequestMatch } from '../../sandbox/faults.ts';
import { onRequests } from '../support/aws-calls.ts';
import type { AwsTestRuntime } from '../support/start-aws-test-runtime.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** A kind of event in a davit. Calls `hit` synchronously each time; returns a function that stops listening. */
export type Moment<Davit = TestRuntime> = (davit: Davit, hit: () => void) => () => void;

/** A moment that any cluster has. */
export type RuntimeMoment = Moment<Pick<TestRuntime, 'runtime'>>;

/** A state's attempt begins: its function is invoked, and has done nothing yet. */
export function attemptOf(state: string): RuntimeMoment {
  return ({ runtime }, hit) => {
    return runtime.onExecutionEvent((event) => {
      if (event.type === 'attempted' && event.state === state) hit();
    });
  };
}

/** A request reaches the cluster's API server, before it has any effect. With `hang` it never has one. */
export function clusterRequest(match: RequestMatch, effect?: FaultEffect): Moment {
  return ({ cluster: { sandbox } }, hit) => {
    const calm = effect && sandbox.faults.add({ match, effect, count: 1 });
    const fields = Object.entries(match);
    const stop = sandbox.faults.onRequest((request) => {
      const values = new Map<string, unknown>(Object.entries(request));
      if (fields.every(([field, value]) => values.get(field) === value)) hit();
    });
    return () => {
      stop();
      calm?.();
    };
  };
}

/** An object has changed in the cluster, and no client knows yet. */
export function clusterChange(resource: 'services' | 'pods', isIt: (change: StoreChange) => boolean): Moment {
  return ({ cluster: { sandbox } }, hit) =>
    sandbox.store.subscribe(resource, (change) => {
      if (isIt(change)) hit();
    });
}

/** An object was created. */
export function created(resource: 'services' | 'pods'): Moment {
  return clusterChange(resource, ({ type }) => type === 'ADDED');
}

/** An object was marked for deletion. */
export function deleted(resource: 'services' | 'pods'): Moment {
  return clusterChange(resource, ({ object }) => object.metadata.deletionTimestamp !== undefined);
}

/**
 * A request reaches a local service that speaks an AWS protocol: it takes effect, and the caller has no answer yet.
 *
 * @param operation the part of the header `x-amz-target` after the dot, or a part of the path
 */
export function awsRequest(operation: string): RuntimeMoment {
  return (_davit, hit) => {
    const listening = onRequests(({ headers, url = '' }) => {
      const target = String(headers['x-amz-target'] ?? url);
      if (target.endsWith(`.${operation}`) || url.includes(operation)) hit();
    });
    return () => listening[Symbol.dispose]();
  };
}

/** An object is gone. */
export function gone(resource: 'services' | 'pods'): Moment {
  return clusterChange(resource, ({ type }) => type === 'DELETED');
}

/** An execution starts. */
export const started: RuntimeMoment = ({ runtime }, hit) =>
  runtime.onExecutionEvent(({ type }) => {
    if (type === 'started') hit();
  });

/** A state is entered. */
export function entered(state: string): RuntimeMoment {
  return ({ runtime }, hit) =>
    runtime.onExecutionEvent((event) => {
      if (event.type === 'entered' && event.state === state) hit();
    });
}

/** Waits for the next occurrence of a moment. */
export function comes<Davit>(davit: Davit, moment: Moment<Davit>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  return promise.finally(moment(davit, resolve));
}

/**
 * Kills a function once, at a moment. A terminated worker runs no further line, because the moment's own call
 * terminates it.
 *
 * @returns a promise that resolves when the function is dead
 */
export function killAt(
  davit: AwsTestRuntime,
  functionName: FunctionName,
  moment: Moment<AwsTestRuntime>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isKilled = false;
  const stop = moment(davit, () => {
    if (!isKilled) resolve(davit.runtime.functions.killWorker(functionName));
    isKilled = true;
  });
  return promise.finally(stop);
}
