import type { Scenario } from '../scenario.ts';

export const lostWebhook: Scenario = {
  name: 'lost-webhook',
  does: 'a job whose webhook is lost',
  run: async () => ({
    needs: 'a person who turns the webhook off for a while: davit does not change webhooks for a test',
  }),
};
