import assert from 'node:assert/strict';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { defineDoor } from '../door.ts';
import { knownLaunches } from '../http/fuzzed-davit.ts';
import { secrets } from '../http/secrets.ts';
import { makeCheckedSender } from '../http/send-checked.ts';
import { anyConnecting, isEntitled, requestOfConnecting } from './connect-requests.ts';

/** Agents that ask for their token: davit tells none of them anything without the credential of its own launch. */
export const connectDoor = defineDoor({
  inputs: anyConnecting,
  open: async () => {
    const send = await makeCheckedSender();
    return async (connecting) => {
      const request = requestOfConnecting(connecting, secrets.credentialKey);
      const { words, answer } = await send('connect', request);
      if (!isEntitled(request, secrets.credentialKey)) assert.equal(words, '401 credential-refused');
      if (answer.status === 200) {
        assert.equal(connecting.agentName, agentNameOf(knownLaunches.ready));
        assert.equal(Object(JSON.parse(answer.body)).launchId, knownLaunches.ready);
      }
      return words;
    };
  },
});
