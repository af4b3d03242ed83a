import { isWarmLaunch } from '../world/warm.ts';
import type { Invariant } from './evidence.ts';

/** Invariant 4 of docs/invariants.md. After a relaunch, the old agent may live on, but davit does not admit it. */
export const oneAgent: Invariant = {
  name: '4: one job, at most one agent, however often and in whatever order its webhooks arrive',
  *check(evidence) {
    const asked = new Set([...evidence.of('asked')].map(({ launchId }) => launchId));
    const queued = new Set([...evidence.of('jobQueued')].map(({ job }) => job));
    const isKnown = (launchId: string) =>
      asked.has(launchId) || queued.has(launchId.replace(/-x\d+$/, '')) || isWarmLaunch(launchId);
    const alive = new Map<string, string>();
    const connected = new Map<string, string>();
    for (const event of evidence.acts) {
      if (event.kind === 'executionStarted' && !isKnown(event.launchId)) {
        yield `${event.launchId} was launched, and no job is called so`;
      }
      if (event.kind === 'agentStarted') {
        if (alive.has(event.agentName)) yield `${event.agentName} ran twice at once`;
        alive.set(event.agentName, event.podUid);
      }
      if (event.kind === 'agentEnded' && alive.get(event.agentName) === event.podUid) alive.delete(event.agentName);
      if (event.kind === 'answered' && event.statusCode === 200 && event.ownCredential) {
        const other = connected.get(event.launchId);
        if (other !== undefined && other !== event.podUid) yield `${event.launchId} has two agents: ${other} as well`;
        connected.set(event.launchId, event.podUid);
      }
    }
  },
};
