import type { Invariant } from './evidence.ts';

/** DESIGN.md's fourth. A launch that is begun anew may have an old agent that lives on, but none that is let in. */
export const oneAgent: Invariant = {
  name: '4: one job, at most one agent, however often and in whatever order its webhooks arrive',
  *check(evidence) {
    const asked = new Set([...evidence.of('asked')].map(({ launchId }) => launchId));
    const alive = new Map<string, string>();
    const connected = new Map<string, string>();
    for (const event of evidence.run.history) {
      if (event.kind === 'executionStarted' && !asked.has(event.launchId)) {
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
