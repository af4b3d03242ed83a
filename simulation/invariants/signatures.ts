import type { Invariant } from './evidence.ts';

const refused = 401;

/** Whatever is rotated meanwhile, an agent with its own credential and GitHub are known, and nobody else is. */
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
