import { SweepReported } from '../../../../core/events/sweep-event.ts';

const finding = { kind: 'Pod', launchId: 'github-1-2-1', reason: 'LaunchOver', outcome: 'removed' };
const report = {
  id: 'sweep/1',
  complete: false,
  found: { LaunchOver: 3 },
  done: { removed: 3 },
  left: 0,
  findings: [
    { ...finding, cluster: 'west', namespace: 'agents', name: 'davit-github-1-2-1' },
    { ...finding, kind: 'Service' },
    { ...finding, kind: 'Launch' },
  ],
  errors: [{ subject: 'cluster east', message: 'why' }],
  at: '2026-11-22T12:00:00.000Z',
};

test("a sweep's event has its findings and errors", () => {
  expect(SweepReported.parse(report)).toEqual(report);
});

test.each([
  { findings: [{ ...finding, kind: '' }] },
  { findings: [{ kind: 'Pod' }] },
  { errors: [{ message: 'why' }] },
  { errors: [{ subject: 'cluster east' }] },
])('a sweep has no event with %j', (wrong) => {
  expect(SweepReported.safeParse({ ...report, ...wrong }).success).toBe(false);
});
