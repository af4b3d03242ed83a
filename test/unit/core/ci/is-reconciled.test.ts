import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { isReconciled } from '../../../../core/ci/is-reconciled.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const readOnly = CiSystemConfig.parse({ name: 'ci', provider: 'standard', webhookSecret: 'hook' });
const acting = CiSystemConfig.parse({
  name: 'gitea',
  provider: 'gitea',
  url: 'https://gitea.example',
  webhookSecret: 'hook',
  tokenSecret: 'token',
});
const plain = { ciSystems: [readOnly], profiles: [makeProfile()], limits: [] };

test.each([
  { what: 'nothing to act in and no limits', davit: plain, is: false },
  { what: 'a CI system in which it acts', davit: { ...plain, ciSystems: [readOnly, acting] }, is: true },
  { what: 'a limit', davit: { ...plain, limits: [{ organizations: ['acme'], maxAgents: 1 }] }, is: true },
  {
    what: 'a profile with a limit',
    davit: { ...plain, profiles: [makeProfile(), makeProfile({ name: 'two', maxAgents: 1 })] },
    is: true,
  },
])('a davit with $what reconciles: $is', ({ davit, is }) => {
  expect(isReconciled(davit)).toBe(is);
});
