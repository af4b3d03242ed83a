import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { ciCredentialSecrets, comparableLabel } from '../../../../core/ci/ci-systems.ts';

test.each([
  { provider: 'github', label: 'linux' },
  { provider: 'gitea', label: 'Linux' },
  { provider: 'standard', label: 'linux' },
] as const)('the label Linux is $label to $provider', ({ provider, label }) => {
  expect(comparableLabel(provider, 'Linux')).toBe(label);
});

const github = { name: 'github', provider: 'github', webhookSecret: 'hook' };
test.each([
  { system: { ...github, app: { id: 1, privateKeySecret: 'key' } }, secrets: ['key'] },
  { system: { ...github, tokenSecret: 'token' }, secrets: ['token'] },
  { system: github, secrets: [] },
  { system: { name: 'ci', provider: 'standard', webhookSecret: 'hook' }, secrets: [] },
])('davit acts with the secrets $secrets in $system', ({ system, secrets }) => {
  expect(ciCredentialSecrets(CiSystemConfig.parse(system))).toEqual(secrets);
});
