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
const sixHoursMs = 21_600_000;

describe('an object of a live launch', () => {
  test.each(['launching', 'connected'] as const)('%s, with the name of its agent, is kept at any age', (status) => {
    expect(judgeObject(objectOf(), { status, plan }, epochMs + 100 * sixHoursMs)).toEqual({ is: 'kept' });
  });

  test('with the name of an earlier generation is found at once', () => {
    const relaunched = planOf('job', { agentName: 'davit-job-r2', generation: 2 });

    expect(judgeObject(objectOf(), { status: 'launching', plan: relaunched }, epochMs)).toEqual(
      found('EarlierGeneration'),
    );
    expect(judgeObject(objectOf({ name: 'davit-job-r2' }), { status: 'launching', plan: relaunched }, epochMs)).toEqual(
      {
        is: 'kept',
      },
    );
  });

  test("is kept while it is being deleted, because the launch's own steps handle that", () => {
    const going = objectOf({ deletionTimestamp: '2026-01-01T00:00:00Z' });

    expect(judgeObject(going, { status: 'connected', plan }, epochMs)).toEqual({ is: 'kept' });
  });
});

describe('an object of a launch whose Pod is held', () => {
  const held = { status: 'cleaning', plan, hold: { untilEpochMs: epochMs + 1000 } } as const;

  test('with the name of its agent is kept until somebody ends the hold', () => {
    const released = { ...held, hold: { ...held.hold, releasedAtEpochMs: epochMs + 1000 } };

    expect(judgeObject(objectOf(), held, epochMs + 5000)).toEqual({ is: 'kept' });
    expect(judgeObject(objectOf(), released, epochMs + 5000)).toEqual(found('LaunchCleaning'));
    expect(judgeObject(objectOf(), { ...held, status: 'failed' }, epochMs)).toEqual(found('LaunchOver'));
  });

  test('with the name of an earlier generation is found at once', () => {
    const relaunched = { ...held, plan: planOf('job', { agentName: 'davit-job-r2', generation: 2 }) };

    expect(judgeObject(objectOf(), relaunched, epochMs)).toEqual(found('LaunchCleaning'));
  });
});

describe('an object of a finished launch', () => {
  test.each([
    ['cleaning', 'LaunchCleaning'],
    ['failed', 'LaunchOver'],
    ['terminated', 'LaunchOver'],
  ] as const)('%s is found at once', (status, reason) => {
    expect(judgeObject(objectOf(), { status, plan }, epochMs)).toEqual(found(reason));
  });

  test('without a plan is found at once', () => {
    expect(judgeObject(objectOf(), { status: 'terminated' }, epochMs)).toEqual(found('LaunchOver'));
  });

  test('is spared when it is already being deleted', () => {
    const going = objectOf({ deletionTimestamp: '2026-01-01T00:00:00Z' });

    expect(judgeObject(going, { status: 'failed', plan }, epochMs)).toEqual(spared('BeingDeleted'));
  });
});

describe('an object of an unknown launch', () => {
  test('is spared for as long as a launch can be in flight, and found after that', () => {
    expect(judgeObject(objectOf(), undefined, epochMs + sixHoursMs)).toEqual(spared('YoungUnknown'));
    expect(judgeObject(objectOf(), undefined, epochMs + sixHoursMs + 1)).toEqual(found('LaunchUnknown'));
  });

  test.each([undefined, 'yesterday'])('whose creationTimestamp is %s is spared for ever', (creationTimestamp) => {
    const { creationTimestamp: _set, ...object } = objectOf();
    const ageless = creationTimestamp === undefined ? object : { ...object, creationTimestamp };

    expect(judgeObject(ageless, undefined, epochMs + 100 * sixHoursMs)).toEqual(spared('YoungUnknown'));
  });
});

describe("an object that only resembles davit's", () => {
  test.each([
    ["somebody else's managed-by", { ...labelsOf(plan), 'app.kubernetes.io/managed-by': 'davit-fork' }],
    ['no managed-by', { 'davit.dev/launch-id': 'job' }],
    ['no launch id', { 'app.kubernetes.io/managed-by': 'davit' }],
    ['an impossible launch id', { ...labelsOf(plan), 'davit.dev/launch-id': 'Job_1' }],
  ])('with %s is spared, whatever the record says', (_what, labels) => {
    for (const record of [undefined, { status: 'failed', plan } as const]) {
      expect(judgeObject(objectOf({ labels }), record, epochMs + 100 * sixHoursMs)).toEqual(spared('NoLaunchId'));
    }
  });

  test('without any label is spared', () => {
    const { labels: _labels, ...bare } = objectOf();

    expect(judgeObject(bare, undefined, epochMs + 100 * sixHoursMs)).toEqual(spared('NoLaunchId'));
  });
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
