import { acceptanceSystem } from '../../../../cli/acceptance/open-ci.ts';
import { ownWebhook, type WebhookPlace } from '../../../../cli/acceptance/own-webhook.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';

const never = async () => {
  throw new Error('nobody asks');
};
const webhooks = { list: never, setActive: never };
const place: WebhookPlace = {
  repository: { owner: 'acme', name: 'app' },
  publicUrl: 'https://davit.example.com',
  secrets: { read: never, refresh: never },
  ownCi: { listWebhooks: never },
  onLeft: () => {},
};
const scaleSet = { organization: 'acme', profile: 'linux' };
const hub = { name: 'hub', provider: 'github', tokenSecret: 'token', events: 'scaleSet', scaleSet };

test('there is none to switch off where davit takes no webhooks', () => {
  const system = acceptanceSystem(CiSystemConfig.parse(hub));

  expect(ownWebhook({ webhooks }, system, place)).toBeUndefined();
});
