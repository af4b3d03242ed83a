import { mostWarm, WarmAgents, warmTarget } from '../../../../core/agent/warm-agents.ts';

const hours = { days: ['mon', 'tue'], timeZone: 'Europe/Berlin' } as const;
const warm: WarmAgents = {
  agents: 2,
  organizations: ['acme'],
  schedules: [
    { ...hours, days: ['tue'], from: '07:00', to: '09:00', agents: 8 },
    { ...hours, days: ['mon', 'tue'], from: '07:00', to: '19:00', agents: 5 },
  ],
  burst: { perRunning: 10 },
};

test.each([
  { at: '2026-11-22T12:00:00Z', running: 0, target: 2, why: 'no schedule applies' },
  { at: '2026-11-23T12:00:00Z', running: 0, target: 5, why: 'the second applies' },
  { at: '2026-11-24T07:00:00Z', running: 0, target: 8, why: 'the first of two counts' },
  { at: '2026-11-22T12:00:00Z', running: 9, target: 2, why: 'nine are not ten' },
  { at: '2026-11-22T12:00:00Z', running: 10, target: 3, why: 'one more for ten' },
  { at: '2026-11-23T12:00:00Z', running: 39, target: 8, why: 'three more than scheduled' },
])('at $at with $running running: $target, because $why', ({ at, running, target }) => {
  expect(warmTarget(warm, running, Date.parse(at))).toBe(target);
});

test('a schedule may want none', () => {
  const holiday: WarmAgents = {
    agents: 2,
    schedules: [{ days: ['sun'], from: '00:00', to: '24:00', timeZone: 'UTC', agents: 0 }],
  };

  expect(warmTarget(holiday, 0, Date.parse('2026-11-22T12:00:00Z'))).toBe(0);
});

test('the maximum of a pool is that of its largest schedule', () => {
  expect(mostWarm(warm)).toBe(8);
  expect(mostWarm({ agents: 3 })).toBe(3);
});

const oneOrganization = 'expected the name of one organization';
const oneRepository = 'expected OWNER/NAME of one repository';
test.each([
  { path: ['organizations', 0], given: { organizations: ['acme/app'] }, message: oneOrganization },
  { path: ['organizations', 0], given: { organizations: ['*'] }, message: oneOrganization },
  { path: ['repositories', 0], given: { repositories: ['acme'] }, message: oneRepository },
  { path: ['repositories', 0], given: { repositories: ['acme/app/x'] }, message: oneRepository },
  { path: ['repositories', 0], given: { repositories: ['/acme/app'] }, message: oneRepository },
  { path: ['repositories', 0], given: { repositories: ['acme/*'] }, message: oneRepository },
])('$given is refused with what was expected: $message', ({ path, given, message }) => {
  expect(WarmAgents.safeParse({ agents: 1, ...given }).error?.issues).toMatchObject([{ path, message }]);
});
