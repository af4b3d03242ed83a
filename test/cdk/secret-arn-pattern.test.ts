import { App, Stack } from 'aws-cdk-lib';
import { secretArnPattern } from '../../cdk/constructs/secret-arn-pattern.ts';
import cdkJson from '../../cdk.json' with { type: 'json' };

const prefix = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:';

test.each([
  ['a full ARN stays as it is', `${prefix}kubeconfig-a1B2c3`, `${prefix}kubeconfig-a1B2c3`],
  ['an ARN without its suffix matches any suffix', `${prefix}kubeconfig`, `${prefix}kubeconfig-??????`],
  ['a name refers to the same account and region', 'kubeconfig', `${prefix}kubeconfig-??????`],
  ['a name may have slashes', 'davit/kubeconfig', `${prefix}davit/kubeconfig-??????`],
])('%s', (_fact, secretId, expected) => {
  const env = { account: '111122223333', region: 'eu-central-1' };
  const stack = new Stack(new App({ context: cdkJson.context }), 'Davit', { env });

  const pattern = secretArnPattern(stack, secretId);

  expect(pattern).toBe(expected);
});
