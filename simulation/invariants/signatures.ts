import type { Invariant } from './evidence.ts';

const refused = 401;

/** During any rotation, davit accepts an agent's own credential and GitHub's signature, and no others. */
export const signatures: Invariant = {
  name: 'signatures: who signs with a secret that is accepted is never refused, and who does not always is',
  *check(evidence) {
    for (const { ownCredential, statusCode, agentName } of evidence.of('answered')) {
      if (ownCredential && statusCode === refused) yield `${agentName} was refused with its own credential`;
    }
    for (const { door, statusCode, launchId } of evidence.of('asked')) {
      if (door === 'forged' && statusCode < 400) yield `a forged webhook of ${launchId} was answered ${statusCode}`;
      if (door !== 'forged' && statusCode === refused) yield `${door} of ${launchId} was refused`;
    }
  },
};
