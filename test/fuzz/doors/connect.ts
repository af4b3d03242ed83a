import assert from 'node:assert/strict';
import { agentNameOf } from '../../../functions/domain/names.ts';
import { defineDoor } from '../door.ts';
import { residents } from '../http/house.ts';
import { secrets } from '../http/secrets.ts';
import { makeVisitor } from '../http/visit.ts';
import { anyConnecting, isEntitled, requestOfConnecting } from './connect-requests.ts';

/** Agents that ask for their token: none is let in, or told anything, without the credential of its own launch. */
export const connectDoor = defineDoor({
  name: 'connect',
  about: 'POST /agents/{agentName}/connect: JWTs with other claims, algorithms, keys, signatures, and agents',
  share: 170,
  inputs: anyConnecting,
  open: async () => {
    const visit = await makeVisitor();
    return async (connecting) => {
      const request = requestOfConnecting(connecting, secrets.credentialKey);
      const { words, answer } = await visit('connect', request);
      if (!isEntitled(request, secrets.credentialKey)) assert.equal(words, '401 credential-refused');
      if (answer.status === 200) {
        assert.equal(connecting.agentName, agentNameOf(residents.ready));
        assert.equal(Object(JSON.parse(answer.body)).launchId, residents.ready);
      }
      return words;
    };
  },
});
