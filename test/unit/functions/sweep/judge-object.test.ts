import * as fc from 'fast-check';
import { LaunchStatus } from '../../../../core/launch/launch-record.ts';
import { agentNameOf, labelsOf } from '../../../../core/launch/names.ts';
import { judgeObject, type ObjectMetadata } from '../../../../functions/sweep/judge-object.ts';
import { epochMs, planOf } from '../../../contract/launch-fixtures.ts';

const plan = planOf('job');

function objectOf(overrides: Partial<ObjectMetadata> = {}): ObjectMetadata {
  return {
    name: 'davit-job',
    namespace: 'davit-agents',
    uid: 'uid',
    resourceVersion: '1',
    labels: labelsOf(plan),
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...overrides,
  };
}

const found = (reason: string) => ({ is: 'found', reason });
const spared = (why: string) => ({ is: 'spared', why });
const kept = { is: 'kept' };
const sixHoursMs = 21_600_000;
const ages = epochMs + 100 * sixHoursMs;

const again = planOf('job', { agentName: 'davit-job-r2', generation: 2 });
const live = { status: 'launching', plan: again } as const;
const going = objectOf({ deletionTimestamp: '2026-01-01T00:00:00Z' });
const held = { status: 'cleaning', plan, hold: { untilEpochMs: epochMs + 1000 } } as const;
const released = { ...held, hold: { ...held.hold, releasedAtEpochMs: epochMs + 1000 } };
const { creationTimestamp: _created, ...ageless } = objectOf();

type Known = Parameters<typeof judgeObject>[1];
type Row = [of: string, verdict: object, object: ObjectMetadata, record: Known, atEpochMs: number];

test.each<Row>([
  ['a launching launch, with the name of its agent, at any age', kept, objectOf(), { status: 'launching', plan }, ages],
  ['a connected launch, with the name of its agent, at any age', kept, objectOf(), { status: 'connected', plan }, ages],
  ['a live launch, with the name of an earlier generation', found('EarlierGeneration'), objectOf(), live, epochMs],
  ['a live launch, with the name of its generation', kept, objectOf({ name: 'davit-job-r2' }), live, epochMs],
  ['a live launch, being deleted, which its own steps handle', kept, going, { status: 'connected', plan }, epochMs],
  ['a launch whose Pod is held, with the name of its agent', kept, objectOf(), held, epochMs + 5000],
  ['a launch whose hold somebody ended', found('LaunchCleaning'), objectOf(), released, epochMs + 5000],
  ['a failed launch whose Pod was held', found('LaunchOver'), objectOf(), { ...held, status: 'failed' }, epochMs],
  [
    'a launch whose Pod is held, with the name of an earlier generation',
    found('LaunchCleaning'),
    objectOf(),
    { ...held, plan: again },
    epochMs,
  ],
  ['a launch in clean-up', found('LaunchCleaning'), objectOf(), { status: 'cleaning', plan }, epochMs],
  ['a failed launch', found('LaunchOver'), objectOf(), { status: 'failed', plan }, epochMs],
  ['a terminated launch', found('LaunchOver'), objectOf(), { status: 'terminated', plan }, epochMs],
  ['a finished launch without a plan', found('LaunchOver'), objectOf(), { status: 'terminated' }, epochMs],
  ['a finished launch, being deleted', spared('BeingDeleted'), going, { status: 'failed', plan }, epochMs],
  [
    'an unknown launch, for as long as one can be in flight',
    spared('YoungUnknown'),
    objectOf(),
    undefined,
    epochMs + sixHoursMs,
  ],
  ['an unknown launch, after that', found('LaunchUnknown'), objectOf(), undefined, epochMs + sixHoursMs + 1],
  ['an unknown launch, without an age', spared('YoungUnknown'), ageless, undefined, ages],
  [
    'an unknown launch, with a wrong time',
    spared('YoungUnknown'),
    objectOf({ creationTimestamp: 'yesterday' }),
    undefined,
    ages,
  ],
])('an object of %s is judged %j', (_of, verdict, object, record, atEpochMs) => {
  expect(judgeObject(object, record, atEpochMs)).toEqual(verdict);
});

test.each([
  ["somebody else's managed-by", { ...labelsOf(plan), 'app.kubernetes.io/managed-by': 'davit-fork' }],
  ['no managed-by', { 'davit.dev/launch-id': 'job' }],
  ['no launch id', { 'app.kubernetes.io/managed-by': 'davit' }],
  ['an impossible launch id', { ...labelsOf(plan), 'davit.dev/launch-id': 'Job_1' }],
  ['no label', undefined],
])("an object that only resembles davit's, with %s, is spared, whatever the record says", (_what, labels) => {
  const { labels: _labels, ...bare } = objectOf();
  const object = labels === undefined ? bare : objectOf({ labels });

  for (const record of [undefined, { status: 'failed', plan } as const])
    expect(judgeObject(object, record, ages)).toEqual(spared('NoLaunchId'));
});

test('an object with the agent name of a live launch is never found', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LaunchStatus.options),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 40 * 24 * 3600 }),
      (status, generation, present, ageSeconds) => {
        const record = { status, plan: planOf('job', { agentName: agentNameOf('job', present), generation: present }) };

        const verdict = judgeObject(
          objectOf({ name: agentNameOf('job', generation) }),
          record,
          epochMs + ageSeconds * 1000,
        );

        const isItsOwn = ['launching', 'connected'].includes(status) && generation === present;
        expect(verdict.is).toBe(isItsOwn ? 'kept' : 'found');
      },
    ),
  );
});
