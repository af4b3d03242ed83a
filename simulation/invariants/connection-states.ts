import type { FaultKind } from '../world/fault-kinds.ts';
import { profiles } from '../world/profiles.ts';
import type { EventOf, Evidence, Invariant } from './evidence.ts';

/** The longest time until a person must see trouble: a probe each minute, which looks for a minute. */
const noticeMs = 5 * 60_000;
/** How many calls must have failed before a person may be told so, and how long before. */
const fewestFailures = 3;
const longestRowMs = 10 * 60_000;

/** The faults that keep a probe from looking, or from writing what it saw. */
const hindering: ReadonlySet<FaultKind> = new Set([
  'crashBeforeWrite',
  'crashAfterWrite',
  'stalled',
  'slowStart',
  'invokeRefused',
  'invokeAnswerLost',
  'asyncLate',
  'storeThrottled',
  'storeAnswerLost',
]);

/** A time in which each create in a namespace failed. */
interface Outage {
  cluster: string;
  namespace: string;
  fromEpochMs: number;
  untilEpochMs: number;
}

/** Lasting trouble that only creates meet is shown where it is: the namespace, or the whole cluster, is away. */
export const outagesShown: Invariant = {
  name: 'clusters: where creates fail for minutes, davit says that launches do not work',
  *check(evidence) {
    if (isProbeHindered(evidence)) return;
    for (const outage of outagesOf(evidence)) {
      const { cluster, namespace, fromEpochMs, untilEpochMs } = outage;
      if (untilEpochMs - fromEpochMs < noticeMs) continue;
      if (!isShownAway(evidence, outage, fromEpochMs + noticeMs)) {
        yield `creates in ${namespace} of ${cluster} failed from ${fromEpochMs} on, and davit did not say so`;
      }
      if (!isShownAway(evidence, outage, untilEpochMs)) {
        yield `creates in ${namespace} of ${cluster} failed until ${untilEpochMs}, and davit no longer said so`;
      }
    }
  },
};

/** What fails in one namespace says nothing about the cluster, or about another namespace. */
export const troubleInItsPlace: Invariant = {
  name: 'clusters: only calls that failed there make davit say that a cluster or a namespace is away',
  *check(evidence) {
    const failures = [...evidence.of('callFailed')];
    for (const { cluster, namespace, connected, atEpochMs } of evidence.of('clusterState')) {
      if (connected !== false) continue;
      const there = failures.filter(
        (call) =>
          call.cluster === cluster &&
          call.beganAtEpochMs <= atEpochMs &&
          call.beganAtEpochMs >= atEpochMs - longestRowMs &&
          (call.namespace === undefined || call.namespace === namespace),
      );
      if (there.length < fewestFailures) {
        yield `davit said that ${namespace ?? 'all'} of ${cluster} was away after ${there.length} failures there`;
      }
    }
  },
};

/** A failed look counts from its beginning: an answer that came while it went on is newer. */
export const looksBegin: Invariant = {
  name: 'clusters: a failed look is reported from its beginning, not from its end',
  *check(evidence) {
    for (const { cluster, beganAtEpochMs, failedAtEpochMs } of evidence.of('failedLook')) {
      if (beganAtEpochMs >= failedAtEpochMs)
        yield `a look at ${cluster} was reported from ${beganAtEpochMs} on, its end`;
    }
  },
};

/** After the last fault, davit finds that everything works again. */
export const troubleEnds: Invariant = {
  name: 'clusters: nothing is said to be away once all faults have ended',
  *check({ run }) {
    for (const { cluster, connected, namespaces = [] } of run.world.clusterStates.all) {
      if (connected === false) yield `${cluster} is said to be away for ever`;
      for (const state of namespaces) {
        if (state.connected === false) yield `${state.namespace} of ${cluster} is said to be away for ever`;
      }
    }
  },
};

/** While no launch of a profile can work, and davit knows it, a job of a queue uses up none of its replacements. */
export const replacementsKept: Invariant = {
  name: 'clusters: no replacement is requested for a profile for which creates fail everywhere',
  *check(evidence) {
    if (isProbeHindered(evidence)) return;
    const outages = outagesOf(evidence);
    for (const { launchId, from, atEpochMs } of evidence.of('recorded')) {
      if (from !== undefined || !/-x\d+$/.test(launchId)) continue;
      const profile = profiles.find(({ name }) => name === evidence.planOf(launchId)?.profile);
      const isOut = (cluster: string) =>
        outages.some(
          (outage) =>
            outage.cluster === cluster &&
            outage.namespace === profile?.namespace &&
            outage.fromEpochMs + noticeMs < atEpochMs &&
            atEpochMs < outage.untilEpochMs &&
            !isJustBack(evidence, cluster, atEpochMs),
        );
      if (profile?.clusters.every(isOut)) yield `${launchId} was requested although all creates failed for minutes`;
    }
  },
};

function isProbeHindered(evidence: Evidence): boolean {
  const faults = [...(evidence.launches.get('probe')?.faults ?? [])];
  return faults.some((fault) => hindering.has(fault)) || [...evidence.of('probedLast')].length > 0;
}

function outagesOf(evidence: Evidence): Outage[] {
  const events = [...evidence.of('creates')];
  return events.flatMap(({ cluster, namespace, work, atEpochMs }, index) => {
    if (work) return [];
    const end = events
      .slice(index)
      .find((event) => event.work && event.cluster === cluster && event.namespace === namespace);
    return [{ cluster, namespace, fromEpochMs: atEpochMs, untilEpochMs: end?.atEpochMs ?? Infinity }];
  });
}

/** Whether the last word until then, on the namespace or on its cluster, was that it is away. */
function isShownAway(evidence: Evidence, { cluster, namespace }: Outage, atEpochMs: number): boolean {
  const isAway = (where?: string) => lastWord(evidence, cluster, where, atEpochMs)?.connected === false;
  return isAway() || isAway(namespace) || isJustBack(evidence, cluster, atEpochMs);
}

/** A cluster that has just come back has its time: nobody could look at its namespaces before. */
function isJustBack(evidence: Evidence, cluster: string, atEpochMs: number): boolean {
  const word = lastWord(evidence, cluster, undefined, atEpochMs);
  return word !== undefined && word.connected !== false && atEpochMs - word.atEpochMs < noticeMs;
}

function lastWord(
  evidence: Evidence,
  cluster: string,
  namespace: string | undefined,
  atEpochMs: number,
): EventOf<'clusterState'> | undefined {
  return [...evidence.of('clusterState')].findLast(
    (event) => event.cluster === cluster && event.namespace === namespace && event.atEpochMs <= atEpochMs,
  );
}
