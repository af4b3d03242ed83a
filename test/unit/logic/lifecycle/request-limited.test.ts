import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { holderOf } from '../../../../core/limits/slot-holder.ts';
import { releaseSlots, requestLimited } from '../../../../logic/lifecycle/request-limited.ts';
import { endingOf, recordOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';
import { failTest } from '../../../support/fail-test.ts';
import { makeLaunchDeps, type TestLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const launchId = 'github-1-2-1';
const repository = 'acme/app';
const plan = planLaunch(makeProfile(), { launchId }, testNowEpochMs);
const ofOwner = { key: 'organization/github/acme', of: 'acme', maxAgents: 2 };
const ofProfile = { key: 'profile/linux', of: 'profile linux', maxAgents: 1 };
const limits = [ofOwner, ofProfile];
const slot = { launchId: 'github-9-9-1', repository, takenAtEpochMs: testNowEpochMs };
let deps: TestLaunchDeps;

beforeEach(() => {
  deps = makeLaunchDeps({ newNonce: () => 'mine' });
});

async function holders(): Promise<string[][]> {
  return Promise.all(limits.map(async ({ key }) => [...(await deps.slots.get(key)).keys()]));
}

const refuse = async () => false;
const accept = async () => true;

describe('a launch that no limit counts', () => {
  test.each([{}, { claim: accept }])('is requested without slots: %j', async (given) => {
    const outcome = await requestLimited(deps, plan, { limits: [], repository, ...given });

    expect(outcome).toMatchObject({ is: 'requested', requested: { duplicate: false } });
    expect(deps.executions.started.get(launchId)?.plan).toEqual(plan);
  });

  test('is not requested when its claim is refused', async () => {
    const outcome = await requestLimited(deps, plan, { limits: [], repository, claim: refuse });

    expect(outcome).toEqual({ is: 'unclaimed' });
    expect(await deps.launches.get(launchId)).toBeUndefined();
  });
});

describe('a launch that limits count', () => {
  test('takes a slot of each, which its record names', async () => {
    const outcome = await requestLimited(deps, plan, { limits, repository, claim: accept });

    const slots = { attempt: 'mine', limits: [ofOwner.key, ofProfile.key] };
    expect(outcome).toMatchObject({ is: 'requested', requested: { record: { plan: { slots } } } });
    expect(await holders()).toEqual([['github-1-2-1/mine'], ['github-1-2-1/mine']]);
  });

  test('takes none when one of them is full, and says which', async () => {
    await deps.slots.take(ofProfile, 'another', slot);

    const outcome = await requestLimited(deps, plan, { limits, repository });

    expect(outcome).toEqual({ is: 'refused', by: ofProfile });
    expect(await holders()).toEqual([[], ['another']]);
    expect(await deps.launches.get(launchId)).toBeUndefined();
  });

  test('gives its slots back when its claim is refused', async () => {
    const outcome = await requestLimited(deps, plan, { limits, repository, claim: refuse });

    expect(outcome).toEqual({ is: 'unclaimed' });
    expect(await holders()).toEqual([[], []]);
    expect(await deps.launches.get(launchId)).toBeUndefined();
  });

  const slotsOfFirst = { attempt: 'first', limits: [ofOwner.key] };
  test.each([
    { when: 'another caller has requested it', record: newRecord({ ...plan, slots: slotsOfFirst }) },
    { when: 'another caller has requested it before there were limits', record: newRecord(plan) },
    { when: 'its job was over first', record: tombstoneOf(launchId) },
  ])('gives its slots back when $when', async ({ record }) => {
    await deps.launches.request(record);

    const outcome = await requestLimited(deps, plan, { limits, repository });

    expect(outcome).toMatchObject({ is: 'requested', requested: { duplicate: true } });
    expect(await holders()).toEqual([[], []]);
  });
});

describe('the slots of a launch', () => {
  const slots = { attempt: 'mine', limits: [ofProfile.key] };

  test.each([
    { status: 'launching', held: 1 },
    { status: 'connected', held: 1 },
    { status: 'cleaning', held: 1 },
    { status: 'failed', held: 0 },
    { status: 'terminated', held: 0 },
  ] as const)('are $held while it is $status', async ({ status, held }) => {
    await deps.slots.take(ofProfile, holderOf(launchId, slots), { ...slot, launchId });
    await deps.launches.request(recordOf(launchId, { status, ending: endingOf(), plan: { ...plan, slots } }));

    await releaseSlots(deps, launchId);

    expect((await deps.slots.get(ofProfile.key)).size).toBe(held);
  });

  test.each([
    { what: 'unknown', record: undefined },
    { what: 'over without a plan', record: tombstoneOf(launchId) },
    { what: 'over without slots', record: recordOf(launchId, { status: 'failed' }) },
  ])('are none when it is $what', async ({ record }) => {
    if (record !== undefined) await deps.launches.request(record);
    deps.slots.free = async () => failTest('it holds none');

    await expect(releaseSlots(deps, launchId)).resolves.toBeUndefined();
  });
});
