import type { CompletedToken } from '../../core/launch/completed-token.ts';
import { agentPort } from '../world/profiles.ts';
import type { Evidence, Invariant } from './evidence.ts';

/** Invariant 2 of docs/invariants.md, for each read of the table by any reader. */
export const completeTokens: Invariant = {
  name: '2: no token is read that is not complete, and none changes after it was first read',
  *check(evidence) {
    const first = new Map<string, CompletedToken>();
    const written = new Set<string>();
    for (const event of evidence.acts) {
      if (event.kind === 'tokenWritten') written.add(event.token.agentName);
      if (event.kind === 'tokenForgotten') {
        written.delete(event.agentName);
        first.delete(event.agentName);
      }
      if (event.kind !== 'tokenRead') continue;
      const { agentName, token } = event;
      const before = first.get(agentName);
      if (token === undefined) {
        if (written.has(agentName)) yield `the token of ${agentName} was published, and read as absent`;
        continue;
      }
      if (before === undefined) first.set(agentName, token);
      else if (before !== token && JSON.stringify(before) !== JSON.stringify(token)) {
        yield `the token of ${agentName} changed after it was read`;
      }
      if (!isComplete(token)) yield `the token of ${agentName} was read incomplete: ${JSON.stringify(token)}`;
    }
  },
};

function isComplete({ host, port, launchId, publishedAt, expiresAt }: CompletedToken): boolean {
  return host !== '' && port >= 1 && port <= 65_535 && [launchId, publishedAt, expiresAt].every(Boolean);
}

/** An agent gets the address of its own Pod, and no other (QB-4267). */
export const rightAddress: Invariant = {
  name: '2: an agent is told the address of its own Pod',
  *check(evidence) {
    for (const { statusCode, body, podUid, agentName, ownCredential } of evidence.of('answered')) {
      if (statusCode !== 200 || !ownCredential) continue;
      const wanted = addressOf(evidence, podUid);
      const { host, port } = JSON.parse(body) as Pick<CompletedToken, 'host' | 'port'>;
      if (wanted !== undefined && wanted !== `${host}:${port}`) {
        yield `${agentName} was told ${host}:${port}, and is reached at ${wanted}`;
      }
    }
  },
};

/** @returns undefined for a Pod whose address davit need not know */
function addressOf(evidence: Evidence, podUid: string): string | undefined {
  const { objects } = evidence;
  const pod = objects.get(podUid);
  if (pod?.created.by !== 'davit') return undefined;
  const plan = evidence.planOf(pod.created.launchId);
  if (plan?.expose !== 'nodePort') return `${pod.bound?.podIP}:${agentPort}`;
  const host = plan.hostAddress === 'nodeExternalIP' ? pod.bound?.externalIP : pod.bound?.hostIP;
  return `${host}:${objects.get(pod.created.ownerUid ?? '')?.port?.port}`;
}

/** How long after the read of its launch's record an agent is answered, in milliseconds. */
const answersMs = 200;

/** Only where no function stands still, which may answer long after it has read. */
export const sentAway: Invariant = {
  name: 'connect: an agent whose launch is over is sent away, and not told to ask again',
  *check(evidence) {
    if (evidence.run.plan.has('stalled')) return;
    for (const { statusCode, body, agentName, launchId, ownCredential, atEpochMs } of evidence.of('answered')) {
      if (statusCode !== 503 || !ownCredential || !body.includes('token-pending')) continue;
      const { recordedAtEpochMs = Infinity } = evidence.launches.get(launchId)?.ending ?? {};
      if (atEpochMs - recordedAtEpochMs > answersMs) {
        yield `${agentName} was told to ask again ${Math.round(atEpochMs - recordedAtEpochMs)} ms after its launch's end`;
      }
    }
  },
};

/** A credential admits only its own agent, only while its launch is live, and never after its Pod was taken away. */
export const doors: Invariant = {
  name: "connect: 200 only to an agent's own credential, and only while its launch is live",
  *check(evidence) {
    const deletedAt = new Map<string, number>();
    for (const { uid, by, atEpochMs } of evidence.of('deleted')) if (by === 'davit') deletedAt.set(uid, atEpochMs);
    for (const { statusCode, agentName, launchId, podUid, ownCredential, askedAtEpochMs } of evidence.of('answered')) {
      if (statusCode !== 200) continue;
      if (!ownCredential) yield `${agentName} was opened by another's credential`;
      const { recordedAtEpochMs = Infinity } = evidence.launches.get(launchId)?.ending ?? {};
      if (askedAtEpochMs > recordedAtEpochMs) yield `${agentName} was let in after its launch was over`;
      if (askedAtEpochMs > (deletedAt.get(podUid) ?? Infinity))
        yield `${agentName} was let in after its Pod was deleted`;
    }
  },
};
