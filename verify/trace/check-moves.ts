import type { Finding } from '../finding.ts';
import type { Histories } from './histories.ts';
import type { RecordHistory, Step } from './step.ts';
import { wasEver } from './timeline.ts';

/** Checks that a launch leaves a cluster as away only if davit's record of the cluster said so in that generation. */
export function checkMoves(histories: Histories, skewMs: number): Finding[] {
  return [...histories.launches.values()].flatMap(({ key, steps }) =>
    steps.flatMap((step, index) => {
      const ended = step.written.fields.generations.at(-1);
      if (step.written.command !== 'relaunch' || ended?.code !== 'ClusterAway' || ended.cluster === undefined)
        return [];
      const span = { fromEpochMs: beganAt(steps, index) - skewMs, toEpochMs: step.atEpochMs + skewMs };
      const cluster = histories.clusters.get(ended.cluster);
      const namespace = steps[index - 1]?.written.fields.namespace;
      if (cluster === undefined || isUnknown(cluster, span.fromEpochMs) || wasEver(cluster, span, isAway(namespace)))
        return [];
      const rule = 'a launch leaves only a cluster that is known to be away';
      return [{ subject: `launch ${key}`, rule, seen: `cluster ${ended.cluster} was not`, line: step.line }];
    }),
  );
}

/** When the generation began that a relaunch ends. */
function beganAt(steps: readonly Step<'launch'>[], index: number): number {
  const began = steps.slice(0, index).findLast(({ written }) => ['request', 'relaunch'].includes(written.command));
  return began?.atEpochMs ?? 0;
}

/** The trace does not show the state in which the cluster was when the generation began. */
function isUnknown({ steps }: RecordHistory<'cluster'>, fromEpochMs: number): boolean {
  const [first] = steps;
  return first !== undefined && first.atEpochMs > fromEpochMs && first.written.revision > 1;
}

function isAway(namespace: string | undefined): (step: Step<'cluster'>) => boolean {
  return ({ written: { fields } }) =>
    fields.connected === false ||
    fields.namespaces.some((each) => each.namespace === namespace && each.connected === false);
}
