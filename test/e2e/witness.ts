import * as z from 'zod';
import { labelKeys } from '../../functions/domain/names.ts';
import type { HistoryEvent } from '../../local/stepfunctions/history-event.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';
import type { DavitAnywhere } from './start-anywhere.ts';

/** Remembers each launch's objects from the cluster's start, and its execution's events since `callWitness`. */
export interface Witness extends Disposable {
  /** The kinds of all objects that were ever made for a launch, in order. */
  created(launchId: string): string[];
  /** What there still is of a launch: kinds and names. */
  left(launchId: string): string[];
  /** The nodePort that a launch's Service was given; undefined when there was none. */
  nodePort(launchId: string): number | undefined;
  /** The states that a launch's execution entered, in order. */
  states(launchId: string): string[];
  /** The failed attempts of a launch's execution, in order, each as `PollHostIP: PendingError`. */
  failedAttempts(launchId: string): string[];
}

/** Watches a davit from now on. */
export function callWitness({ history, runtime }: TestRuntime | DavitAnywhere): Witness {
  const events = new Map<string, HistoryEvent[]>();
  const stop = runtime.onExecutionEvent((event, { name }) => {
    events.set(name, [...(events.get(name) ?? []), event]);
  });
  const eventsOf = (launchId: string) => events.get(launchId) ?? [];
  const changesOf = (launchId: string) =>
    history.changes.filter(({ object: { metadata } }) => metadata.labels?.[labelKeys.launchId] === launchId);
  return {
    created: (launchId) => changesOf(launchId).flatMap(({ type, object }) => (type === 'ADDED' ? [object.kind] : [])),
    left: (launchId) => {
      const last = new Map(changesOf(launchId).map((change) => [change.object.metadata.uid, change]));
      return [...last.values()].flatMap(({ type, object }) =>
        type === 'DELETED' ? [] : [`${object.kind} ${object.metadata.name}`],
      );
    },
    nodePort: (launchId) =>
      changesOf(launchId)
        .map(({ object }) => nodePortOf(object))
        .findLast(Boolean),
    states: (launchId) => eventsOf(launchId).flatMap(({ stateEnteredEventDetails: state }) => state?.name ?? []),
    failedAttempts: (launchId) => failedAttempts(eventsOf(launchId)),
    [Symbol.dispose]: stop,
  };
}

function failedAttempts(events: readonly HistoryEvent[]): string[] {
  let state = '';
  return events.flatMap(({ stateEnteredEventDetails: entered, taskFailedEventDetails: failed }) => {
    state = entered?.name ?? state;
    return failed === undefined ? [] : [`${state}: ${failed.error}`];
  });
}

const ServicePorts = z.object({ spec: z.object({ ports: z.tuple([z.object({ nodePort: z.int() })]) }) });

function nodePortOf(object: KubeObject): number | undefined {
  return ServicePorts.safeParse(object).data?.spec.ports[0].nodePort;
}
