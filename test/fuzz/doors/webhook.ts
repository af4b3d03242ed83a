import assert from 'node:assert/strict';
import { defineDoor } from '../door.ts';
import { secrets } from '../http/secrets.ts';
import { makeVisitor, visitHouse } from '../http/visit.ts';
import { anyDelivery, isSigned, requestOfDelivery } from './webhook-requests.ts';

/** What a delivery that is not signed may be told; nothing of its body is parsed for any of them. */
const refusals = ['400 body-malformed', '401 signature-refused', '404 ci-system-unknown', '413 body-too-large'];

/** Deliveries of CI systems: nothing is done for one that its provider has not signed, and nothing is done twice. */
export const webhookDoor = defineDoor({
  name: 'webhook',
  about: "POST /webhooks/{name}: GitHub's own examples with changes, signed rightly, nearly, or not at all",
  share: 200,
  inputs: anyDelivery,
  open: async () => {
    const visit = await makeVisitor();
    return async (delivery) => {
      const request = requestOfDelivery(delivery, secrets.webhook);
      const { house, words, answer, changes } = await visit('webhook', request);
      if (!isSigned(request, secrets.webhook)) {
        assert.ok(refusals.includes(words), `not signed, and answered ${words}`);
      }
      if (answer.status === 202) assert.ok(changes > 0, 'accepted, and nothing was done');
      if (changes > 0) {
        const again = await visitHouse(house, 'webhook', request);
        assert.ok(again.answer.status < 300, `accepted once, and then ${again.words}`);
        assert.ok(!again.answer.body.includes('"ignored"'), 'accepted once, and then ignored');
      }
      return words;
    };
  },
});
