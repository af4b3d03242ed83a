import * as z from 'zod';
import { labelKeys } from '../../core/launch/names.ts';
import type { ExecutionEvent } from '../../local/machine/state-machine.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';
import type { DavitAnywhere } from './start-anywhere.ts';

/** Records each launch's objects since the cluster's start, and its execution's events since `observeLaunches`. */
export interface LaunchObserver extends Disposable {
  /** The kinds of all objects that were created for a launch, in order. */
  created(launchId: string): string[];
  /** The remaining objects of a launch: kinds and names. */
  left(launchId: string): string[];
  /** The nodePort of a launch's Service; undefined when it had none. */
  nodePort(launchId: string): number | undefined;
  /** The states that a launch's execution entered, in order. */
  states(launchId: string): string[];
  /** The failed attempts of a launch's execution, in order, each as `PollHostIP: PendingError`. */
  failedAttempts(launchId: string): string[];
}

/** Observes a davit from now on. */
export function observeLaunches({ history, runtime }: TestRuntime | DavitAnywhere): LaunchObserver {
  const events = new Map<string, ExecutionEvent[]>();
  const stop = runtime.onExecutionEvent((event) => {
    events.set(event.launchId, [...(events.get(event.launchId) ?? []), event]);
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
    states: (launchId) => eventsOf(launchId).flatMap((event) => (event.type === 'entered' ? [event.state] : [])),
    failedAttempts: (launchId) => failedAttempts(eventsOf(launchId)),
    [Symbol.dispose]: stop,
  };
}

function failedAttempts(events: readonly ExecutionEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'failed' ? [`${event.state}: ${event.error}`] : []));
}

const ServicePorts = z.object({ spec: z.object({ ports: z.tuple([z.object({ nodePort: z.int() })]) }) });

function nodePortOf(object: KubeObject): number | undefined {
  return ServicePorts.safeParse(object).data?.spec.ports[0].nodePort;
}
