import type { Sighting } from '../world/sightings.ts';
import { type Ended, podsOf } from './ended.ts';
import { skewMs } from './evidence.ts';

/** The longest time between a look at a Pod and the error that follows. */
const toErrorMs = 3000;

const pullReasons: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);

/**
 * For each code, says whether a look shows that trouble, by a table of the judge's own; undefined when the look shows
 * nothing about it.
 */
const isTrouble = {
  ImagePullFailed: ({ pod }: Sighting) => {
    if (pod === undefined) return undefined;
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
    return [...containerStatuses, ...initContainerStatuses].some(({ state }) =>
      pullReasons.has(state?.waiting?.reason ?? ''),
    );
  },
  ContainerStartFailed: ({ lacksSandbox }: Sighting) => lacksSandbox,
};

const graces = { ImagePullFailed: 'imagePullSeconds', ContainerStartFailed: 'containerSeconds' } as const;

/**
 * Says whether trouble lasted for its grace: from the first of an unbroken row of looks that all showed it, to the last
 * of them that saw the Pod's present state.
 */
export function lastedTrouble(code: keyof typeof isTrouble): (ended: Ended) => boolean {
  return (ended) => {
    const { evidence, life, failure } = ended;
    const graceSeconds = life.record?.plan?.graces[graces[code]] ?? Infinity;
    const failedAtEpochMs = failure?.atEpochMs ?? 0;
    const uids = new Set(podsOf(ended).map(({ created }) => created.uid));
    const looks = evidence.run.world.core.sightings
      .of(life.launchId)
      .filter(({ uid, atEpochMs }) => uids.has(uid) && atEpochMs <= failedAtEpochMs)
      .map((sighting) => ({ ...sighting, shows: isTrouble[code](sighting) }))
      .filter(({ shows }) => shows !== undefined)
      .toSorted((one, other) => versionOf(one) - versionOf(other) || one.atEpochMs - other.atEpochMs);
    const last = looks.findLastIndex(({ shows }) => shows);
    const lastLook = looks[last];
    if (lastLook === undefined) return false;
    const wellSince = looks.slice(last + 1).find(({ atEpochMs }) => atEpochMs < failedAtEpochMs - toErrorMs);
    if (wellSince !== undefined) return false;
    const lastWell = looks.slice(0, last).findLastIndex(({ shows }) => !shows);
    const row = looks.slice(lastWell + 1, last + 1);
    const begunAtEpochMs = Math.min(...row.map(({ atEpochMs }) => atEpochMs));
    const confirmed = row.findLast(({ isCurrent }) => isCurrent);
    return (confirmed?.atEpochMs ?? 0) - begunAtEpochMs >= graceSeconds * 1000 - skewMs;
  };
}

/** A run that stood still sees old versions late; looks at Events have no version, and count by their time. */
function versionOf({ pod }: Sighting): number {
  return Number(pod?.metadata.resourceVersion ?? 0);
}
