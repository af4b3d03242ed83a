import { AgentLimit } from '../../../../core/limits/agent-limit.ts';
import { limitWords, slotLimitsOf } from '../../../../core/limits/slot-limits.ts';

const limits = [
  AgentLimit.parse({ repositories: ['acme/big'], maxAgents: 30 }),
  AgentLimit.parse({ repositories: ['acme/*'], maxAgents: 5 }),
  AgentLimit.parse({ organizations: ['*'], maxAgents: 100 }),
];
const linux = { name: 'linux', maxAgents: 12 };
const jobOf = (owner: string, name: string) => ({ ciSystem: 'github', repository: { owner, name } });

test('a launch counts for its repository, its organization and its profile, the narrowest first', () => {
  expect(slotLimitsOf(limits, linux, jobOf('Acme', 'App'))).toEqual([
    { key: 'repository/github/acme/app', of: 'Acme/App', maxAgents: 5 },
    { key: 'organization/github/acme', of: 'Acme', maxAgents: 100 },
    { key: 'profile/linux', of: 'profile linux', maxAgents: 12 },
  ]);
});

test('of each kind, the first limit that matches counts', () => {
  expect(slotLimitsOf(limits, { name: 'linux' }, jobOf('acme', 'big')).map(({ maxAgents }) => maxAgents)).toEqual([
    30, 100,
  ]);
  expect(slotLimitsOf(limits, { name: 'linux' }, jobOf('other', 'app'))).toEqual([
    { key: 'organization/github/other', of: 'other', maxAgents: 100 },
  ]);
});

test("an organization's limit counts no other organization", () => {
  const ofAcme = [AgentLimit.parse({ organizations: ['acme'], maxAgents: 7 })];

  expect(slotLimitsOf(ofAcme, { name: 'linux' }, jobOf('acme', 'app'))).toHaveLength(1);
  expect(slotLimitsOf(ofAcme, { name: 'linux' }, jobOf('other', 'app'))).toEqual([]);
});

test('a project below groups of a group counts for the group at the top, and by its own name', () => {
  const below = (owner: string, name: string) => ({ ciSystem: 'gitlab', repository: { owner, name } });

  expect(slotLimitsOf(limits, { name: 'linux' }, below('Acme/Team', 'App'))).toEqual([
    { key: 'repository/gitlab/acme/team/app', of: 'Acme/Team/App', maxAgents: 5 },
    { key: 'organization/gitlab/acme', of: 'Acme', maxAgents: 100 },
  ]);
  expect(slotLimitsOf(limits, { name: 'linux' }, below('acme', 'team/app'))).toMatchObject([
    { key: 'repository/gitlab/acme/team/app' },
    { key: 'organization/gitlab/acme' },
  ]);
  expect(slotLimitsOf(limits, { name: 'linux' }, below('other/acme', 'app'))).toMatchObject([
    { key: 'organization/gitlab/other' },
  ]);
});

test('a launch for any repository of an owner counts for the owner, and for no repository', () => {
  const job = { ciSystem: 'github', repository: { owner: 'acme' } };

  expect(slotLimitsOf(limits, { name: 'linux' }, job).map(({ key }) => key)).toEqual(['organization/github/acme']);
});

test('a launch without a job counts only for its profile, and without limits for nothing', () => {
  expect(slotLimitsOf(limits, linux)).toEqual([{ key: 'profile/linux', of: 'profile linux', maxAgents: 12 }]);
  expect(slotLimitsOf([], { name: 'linux' }, jobOf('acme', 'app'))).toEqual([]);
});

const isOneKind = 'expected either organizations or repositories';
test.each([
  [{ maxAgents: 1 }, { code: 'custom', message: isOneKind, path: [] }],
  [
    { organizations: ['acme'], repositories: ['acme/app'], maxAgents: 1 },
    { code: 'custom', message: `${isOneKind}, and not both`, path: [] },
  ],
  [
    { organizations: ['acme/app'], maxAgents: 1 },
    { message: 'expected a name, with * and ? for what may be anything', path: ['organizations', 0] },
  ],
  [{ organizations: ['acme'], maxAgents: 0 }, { path: ['maxAgents'] }],
  [{ organizations: ['acme'], maxAgents: 10_001 }, { path: ['maxAgents'] }],
  [{ repositories: [], maxAgents: 1 }, { path: ['repositories'] }],
])('the limit %j is refused: %j', (limit, issue) => {
  expect(AgentLimit.safeParse(limit).error?.issues).toMatchObject([issue]);
});

test('a reached limit has a description', () => {
  expect(limitWords({ key: 'k', of: 'acme/app', maxAgents: 12 }, 12)).toBe('12 of 12 agents of acme/app');
});
