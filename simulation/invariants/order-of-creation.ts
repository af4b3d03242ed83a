import type { Invariant } from './evidence.ts';

/** Invariant 1 of docs/invariants.md. A foreign Service that davit adopts by mistake does not count as the Pod's. */
export const podAfterPort: Invariant = {
  name: '1: no Pod of ours exists before its Service has a nodePort',
  *check(evidence) {
    const { objects } = evidence;
    for (const { created } of objects.values()) {
      const { object, by, launchId = '', name, ownerUid } = created;
      if (object !== 'Pod' || by !== 'davit') continue;
      if (evidence.planOf(launchId)?.expose === 'none') continue;
      const owner = ownerUid === undefined ? undefined : objects.get(ownerUid);
      if (owner === undefined) yield `Pod ${name} was created without a Service`;
      else if (owner.created.launchId !== launchId) yield `Pod ${name} was created for somebody else's Service`;
      else if (owner.port === undefined || owner.port.atEpochMs > created.atEpochMs) {
        yield `Pod ${name} was created before its Service had a nodePort`;
      }
    }
  },
};
