import { functionSettings } from '../../runtime/function-settings.ts';
import type { HistoryEvent } from '../world/history.ts';
import { profiles } from '../world/profiles.ts';
import { type EventOf, type Evidence, type Invariant, type LaunchLife, skewMs, wasDeleted } from './evidence.ts';

/** davit relaunches only for a Pod that infrastructure or others took, and no more often than the plan allows. */
export const justifiedRelaunches: Invariant = {
  name: '3: a launch begins again only for a Pod that infrastructure or others took, and no oftener than it may',
  *check(evidence) {
    for (const life of evidence.launches.values()) yield* checkLaunch(evidence, life);
  },
};

function* checkLaunch(evidence: Evidence, life: LaunchLife): Iterable<string> {
  const { launchId } = life;
  const begun = life.relaunched.filter((event) => !isMove(event));
  const endedAgents = life.record?.generations?.map(({ agentName }) => agentName) ?? [];
  if (new Set(endedAgents).size < endedAgents.length)
    yield `${launchId} has ended a generation twice: ${endedAgents.join(', ')}`;
  const { maxRelaunches = 0 } = profileOf(life) ?? {};
  if (begun.length > maxRelaunches) yield `${launchId} was begun again ${begun.length} times`;
  const objects = evidence.objectsOf(launchId);
  for (const { endedAgent, atEpochMs, generation } of begun) {
    const ended = objects.filter(({ created }) => created.name === endedAgent);
    const isTaken = ended.some(({ taken }) => (taken[0]?.atEpochMs ?? Infinity) <= atEpochMs);
    if (!isTaken && !wasDeleted(evidence, ended, atEpochMs))
      yield `${launchId} began its generation ${generation}, and nothing took the Pod of the one before`;
  }
}

/**
 * A launch leaves a cluster only because of an event there. It goes to each cluster at most once, and never after its
 * agent has connected.
 */
export const justifiedMoves: Invariant = {
  name: '3: a launch moves only from a cluster that is away, is full or refuses it, to each at most once, and never once connected',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      const { launchId, connectedAtEpochMs = Infinity } = life;
      const moves = life.relaunched.filter(isMove);
      const [first] = moves;
      const used = first === undefined ? [] : [first.endedCluster, ...moves.map(({ cluster }) => cluster)];
      if (new Set(used).size < used.length) yield `${launchId} went to a cluster twice: ${used.join(', ')}`;
      for (const move of moves) {
        const { endedCluster, cluster, code, atEpochMs } = move;
        if (atEpochMs > connectedAtEpochMs) yield `${launchId} moved to ${cluster}, and its agent was connected`;
        if (!isJustified(evidence, life, move)) {
          yield `${launchId} left ${endedCluster} by ${code}, and nothing like that happened to it there`;
        }
      }
    }
  },
};

function isJustified(evidence: Evidence, life: LaunchLife, move: EventOf<'relaunched'>): boolean {
  const { failoverSeconds = Infinity, spillSeconds = Infinity } = profileOf(life) ?? {};
  const { atEpochMs, endedCluster, code } = move;
  const fromEpochMs = Math.max(
    0,
    ...life.relaunched.flatMap((event) => (event.generation < move.generation ? [event.atEpochMs] : [])),
  );
  const here = life.events.filter((event) => event.atEpochMs >= fromEpochMs && event.atEpochMs <= atEpochMs);
  if (code === 'ClusterAway')
    return wasAway(evidence, placeOf(life, endedCluster), decidedAtEpochMs(here), failoverSeconds);
  if (code === 'ClusterFull') {
    const first = here.find((event) => event.kind === 'fault' && roomFaults.has(event.fault));
    return atEpochMs - (first?.atEpochMs ?? Infinity) >= spillSeconds * 1000 - skewMs;
  }
  return (
    code === 'ClusterRefused' &&
    here.some((event) => event.kind === 'callFailed' && event.cluster === endedCluster && refusals.has(event.code))
  );
}

/**
 * Returns when the step failed that made the launch move. The cluster may be back before the function that moves the
 * launch starts.
 */
function decidedAtEpochMs(events: readonly HistoryEvent[]): number {
  return events.findLast(({ kind }) => kind === 'stateFailed')?.atEpochMs ?? 0;
}

/** Where a launch was. */
interface Place {
  cluster: string;
  namespace: string;
}

const roomFaults: ReadonlySet<string> = new Set(['quotaFull', 'portRangeFull', 'unschedulable']);
const refusals: ReadonlySet<string> = new Set(['ClusterForbidden', 'ClusterUnauthorized', 'NamespaceMissing']);

/**
 * How long before its end a function may have read a record, because it may stand still afterwards: no step runs longer
 * than this one.
 */
const longestRunMs = functionSettings['publish-token'].timeoutSeconds * 1000;

/**
 * Says whether the record of a cluster, or of the launch's namespace there, said "away" when a launch left it, and calls
 * had failed there for that long. Either record is reason enough, whichever changed last. A failed call counts from its
 * start: its run may stand still before it fails, and davit cannot tell. davit gives up a call that stands still, so the
 * first one may fail after the launch has left. The function may have read the record a while before, because it may
 * stand still: meanwhile the cluster may be back, and even be away anew.
 */
export function wasAway(
  evidence: Pick<Evidence, 'of'>,
  { cluster, namespace }: Place,
  untilEpochMs: number,
  seconds: number,
): boolean {
  return [undefined, namespace].some((of) => {
    const records = [...evidence.of('clusterState')].filter(
      (event) => event.cluster === cluster && event.namespace === of && event.atEpochMs <= untilEpochMs,
    );
    return records.some((record, index) => {
      const readByEpochMs = Math.min(untilEpochMs, records[index + 1]?.atEpochMs ?? Infinity);
      const mayBeRead = untilEpochMs - readByEpochMs <= longestRunMs;
      return record.connected === false && mayBeRead && hadFailed(evidence, record, readByEpochMs, seconds);
    });
  });
}

function hadFailed(
  evidence: Pick<Evidence, 'of'>,
  away: EventOf<'clusterState'>,
  untilEpochMs: number,
  seconds: number,
): boolean {
  const failures = [...evidence.of('callFailed')].filter(
    (event) =>
      event.cluster === away.cluster &&
      event.atEpochMs >= away.sinceEpochMs - skewMs &&
      event.beganAtEpochMs <= untilEpochMs,
  );
  const first = Math.max(away.sinceEpochMs, Math.min(...failures.map(({ beganAtEpochMs }) => beganAtEpochMs)));
  const ended = failures.filter(({ atEpochMs }) => atEpochMs <= untilEpochMs);
  return ended.length >= 3 && untilEpochMs - first >= seconds * 1000 - skewMs;
}

function placeOf({ record }: LaunchLife, cluster: string): Place {
  return { cluster, namespace: record?.plan?.namespace ?? '' };
}

function isMove({ cluster, endedCluster }: EventOf<'relaunched'>): boolean {
  return cluster !== endedCluster;
}

function profileOf({ record }: LaunchLife) {
  return profiles.find(({ name }) => name === record?.plan?.profile);
}
