import { profiles } from '../world/profiles.ts';
import type { Evidence, Invariant, LaunchLife } from './evidence.ts';

/** A launch begins again only for a Pod that infrastructure took, and no oftener than its plan allows. */
export const justifiedRelaunches: Invariant = {
  name: '3: a launch begins again only for a Pod that infrastructure took, and no oftener than it may',
  *check(evidence) {
    for (const life of evidence.launches.values()) yield* checkLaunch(evidence, life);
  },
};

function* checkLaunch(evidence: Evidence, { launchId, events, record }: LaunchLife): Iterable<string> {
  const begun = events.filter((event) => event.kind === 'relaunched');
  const { maxRelaunches = 0 } = profiles.find(({ name }) => name === record?.plan?.profile) ?? {};
  if (begun.length > maxRelaunches) yield `${launchId} was begun again ${begun.length} times`;
  const pods = evidence.objectsOf(launchId).filter(({ created }) => created.object === 'Pod');
  for (const { endedAgent, atEpochMs, generation } of begun) {
    const isTaken = pods.some(
      ({ created, taken }) => created.name === endedAgent && (taken?.atEpochMs ?? Infinity) <= atEpochMs,
    );
    if (!isTaken) yield `${launchId} began its generation ${generation}, and nothing took the Pod of the one before`;
  }
}
