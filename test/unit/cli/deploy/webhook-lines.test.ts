import { webhookLines } from '../../../../cli/deploy/webhook-lines.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';

const parse = (system: object) => CiSystemConfig.parse({ webhookSecret: 'hook', ...system });
const gitea = parse({ name: 'gitea', provider: 'gitea', url: 'https://gitea.example.com' });
const gitlab = parse({ name: 'gitlab', provider: 'gitlab', group: 'acme', tokenSecret: 'token' });
const scaleSet = { organization: 'acme', profile: 'linux' };
const ofSet = { name: 'hub', provider: 'github', tokenSecret: 'token', events: 'scaleSet', scaleSet };
const davit = { publicUrl: 'https://davit.example.com', region: 'eu-west-1' };
const secret =
  '  their secret: aws secretsmanager get-secret-value --region eu-west-1 --secret-id hook --query SecretString --output text';

test('a deployment says which webhooks are left to make, and for which systems they only save time', () => {
  expect(webhookLines([gitea, gitlab], davit, () => false)).toEqual([
    'webhooks of gitea: https://davit.example.com/webhooks/gitea',
    secret,
    'webhooks of gitlab, which make davit poll it at once: https://davit.example.com/webhooks/gitlab',
    secret,
  ]);
  expect(webhookLines([parse(ofSet), CiSystemConfig.parse(ofSet)], davit, () => false)).toEqual([]);
  expect(webhookLines([gitea], davit, (name) => name === 'gitea')).toEqual([]);
});
