import assert from 'node:assert/strict';
import { defineDoor } from '../door.ts';
import { secrets } from '../http/secrets.ts';
import { makeCheckedSender, sendChecked } from '../http/send-checked.ts';
import { anyDelivery, isSigned, requestOfDelivery } from './webhook-requests.ts';

/** The permitted answers to an unsigned delivery. davit parses nothing of its body. */
const refusals = ['400 body-malformed', '401 signature-refused', '404 ci-system-unknown', '413 body-too-large'];

/** Deliveries from CI systems: an unsigned one has no effect, and a signed one has its effect once. */
export const webhookDoor = defineDoor({
  inputs: anyDelivery,
  open: async () => {
    const send = await makeCheckedSender();
    return async (delivery) => {
      const request = requestOfDelivery(delivery, secrets.webhook);
      const { davit, words, answer, changes } = await send('webhook', request);
      if (!isSigned(request, secrets.webhook)) {
        assert.ok(refusals.includes(words), `not signed, and answered ${words}`);
      }
      if (answer.status === 202) assert.ok(changes > 0, 'accepted, and nothing was done');
      if (changes > 0) {
        const again = await sendChecked(davit, 'webhook', request);
        assert.ok(again.answer.status < 300, `accepted once, and then ${again.words}`);
        assert.ok(!again.answer.body.includes('"ignored"'), 'accepted once, and then ignored');
      }
      return words;
    };
  },
});
