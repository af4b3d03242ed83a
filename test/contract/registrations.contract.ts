import * as fc from 'fast-check';
import { poolKeyOf } from '../../core/agent/pool.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { agentOf, endingOf, epochMs, jobRunner, recordOf, signalOf, warmPlanOf } from './launch-fixtures.ts';
import { anyCall, type Call, type RegistrationsUnderTest } from './registrations-model.ts';

const runner = { id: 7, name: 'davit-0a1b2c3d-job' };
const later = { id: 9, name: 'davit-0a1b2c3d-job' };
const jobKey = 'gitea/1/8/1';
const twenty = Array.from({ length: 20 }, (_, index) => index);

/**
 * The contract of every launches table for joining and leaving a CI system.
 *
 * @param makeTable returns an empty table each time
 * @param numRuns how many runs each property gets
 */
export function describeRegistrations(
  name: string,
  makeTable: () => Promise<RegistrationsUnderTest>,
  numRuns = 25,
): void {
  async function withLaunch(launchId = 'job'): Promise<RegistrationsUnderTest> {
    const table = await makeTable();
    await table.launches.request(recordOf(launchId, { plan: warmPlanOf(launchId) }));
    return table;
  }
  async function withRunner(): Promise<RegistrationsUnderTest> {
    const table = await withLaunch();
    await table.registrations.begin(agentOf('job'), 'nonce', epochMs);
    await table.registrations.complete(agentOf('job'), 'nonce', runner, epochMs + 1);
    return table;
  }

  describe(`registrations (${name})`, () => {
    test('any sequence of calls leaves the state and gives the answers that the model predicts', async () => {
      const table = await makeTable();
      const nextLaunch = launchIds();
      await fc.assert(
        fc.asyncProperty(fc.array(anyCall, { maxLength: 30, size: 'max' }), async (calls) => {
          const launchId = nextLaunch();
          let model: LaunchRecord = recordOf(launchId, { plan: warmPlanOf(launchId) });
          await table.launches.request(model);
          for (const call of calls) {
            const { record, answer } = call.expected(model);
            model = record;
            expect({ [call.title]: await call.made(table, launchId) }).toEqual({ [call.title]: answer });
            expect(await table.launches.get(launchId)).toEqual(model);
          }
        }),
        { numRuns },
      );
    }, 60_000);

    test('concurrent calls have the results of some sequential order of them', async () => {
      const table = await makeTable();
      const nextLaunch = launchIds();
      const before = fc.array(anyCall, { maxLength: 6 });
      const atOnce = fc.array(anyCall, { minLength: 2, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(before, atOnce, async (first, calls) => {
          const launchId = nextLaunch();
          const requested = recordOf(launchId, { plan: warmPlanOf(launchId) });
          await table.launches.request(requested);
          for (const call of first) await call.made(table, launchId);
          const start = (await table.launches.get(launchId)) ?? requested;

          const answers = await Promise.all(calls.map((call) => call.made(table, launchId)));

          const record = await table.launches.get(launchId);
          expect(outcomesOf(calls, start)).toContainEqual({ record, answers });
        }),
        { numRuns },
      );
    }, 60_000);

    test('registering an agent connects it and clears the signal of its CI system, which a healthy Pod does not clear', async () => {
      const { launches, registrations } = await withLaunch();
      const said = signalOf({ code: 'CiUnavailable', sinceEpochMs: epochMs });
      await launches.noteSignal('job', said);
      await launches.clearSignal('job', epochMs + 1);
      expect(await launches.get('job')).toMatchObject({ signal: said });

      const timeline = { podMs: 300, tokenMs: 2100 };
      const begun = await registrations.begin(agentOf('job'), 'nonce', epochMs, timeline);
      const plan = await registrations.complete(agentOf('job'), 'nonce', runner, epochMs + 1);

      expect(begun).toMatchObject({ registration: { nonce: 'nonce', begunAtEpochMs: epochMs, count: 1 }, timeline });
      expect(plan).toEqual(warmPlanOf('job'));
      const record = await launches.get('job');
      expect(record).toMatchObject({ status: 'connected', runner, connectedAtEpochMs: epochMs + 1 });
      expect(record?.signal).toBeUndefined();
    });

    test('many runs take over a registration at the same time: one succeeds, and may repeat it', async () => {
      const { launches, registrations } = await withLaunch();
      await registrations.begin(agentOf('job'), 'nonce', epochMs);

      const taken = await Promise.all(
        twenty.map((index) => registrations.take(agentOf('job'), 'nonce', `own-${index}`)),
      );

      const [winner, ...others] = taken.filter((record) => record !== undefined);
      const own = winner?.registration?.nonce ?? '';
      expect(others).toEqual([]);
      expect(own).toMatch(/^own-/);
      expect(await registrations.take(agentOf('job'), 'nonce', own)).toEqual(winner);
      expect(await launches.get('job')).toEqual(winner);
      expect(await registrations.complete(agentOf('job'), 'nonce', runner, epochMs + 1)).toBeUndefined();
      expect(await registrations.complete(agentOf('job'), own, runner, epochMs + 1)).toBeDefined();
    });

    test('registering again keeps counting, and keeps the first moment of connecting', async () => {
      const { launches, registrations } = await withRunner();

      await registrations.begin(agentOf('job'), 'again', epochMs + 10);
      await registrations.noteDeregistered('job', runner.id, epochMs + 11);
      const plan = await registrations.complete(agentOf('job'), 'again', later, epochMs + 12);

      expect(plan).toBeDefined();
      const record = await launches.get('job');
      expect(record).toMatchObject({ runner: later, connectedAtEpochMs: epochMs + 1, registration: { count: 2 } });
      expect(record?.deregisteredAtEpochMs).toBeUndefined();
    });

    test('a registration does not overwrite a runner that is not known to be gone', async () => {
      const { launches, registrations } = await withRunner();
      await registrations.begin(agentOf('job'), 'again', epochMs + 10);

      expect(await registrations.complete(agentOf('job'), 'again', later, epochMs + 11)).toBeUndefined();
      expect(await launches.get('job')).toMatchObject({ runner });
    });

    test('the agents of a pool that stand by are listed, oldest first, until they are summoned or retired', async () => {
      const { launches, registrations } = await makeTable();
      const { join } = warmPlanOf('any');
      if (join === undefined) throw new TypeError('it joins a CI system');
      const [pool, other] = [poolKeyOf(join), poolKeyOf({ ...join, labels: ['arm'] })];
      for (const [launchId, atMs, labels] of [
        ['second', 2, ['linux']],
        ['first', 1, ['linux']],
        ['third', 3, ['linux']],
        ['elsewhere', 1, ['arm']],
        ['launching', 1, ['linux']],
      ] as const) {
        const plan = warmPlanOf(launchId, { join: { ...join, labels: [...labels] } });
        await launches.request(recordOf(launchId, { plan, requestedAtEpochMs: epochMs + atMs }));
        if (launchId !== 'launching') await registrations.standBy(agentOf(launchId), epochMs + 10);
      }

      const all = await launches.listStandby(pool, 10);
      const some = await launches.listStandby(pool, 2);
      await registrations.summon('first', jobKey, epochMs + 11);
      await registrations.retire('third', 'surplus', epochMs + 11);

      expect(all).toEqual(['first', 'second', 'third']);
      expect(some).toEqual(['first', 'second']);
      expect(await launches.listStandby(other, 10)).toEqual(['elsewhere']);
      expect(await launches.listStandby(pool, 10)).toEqual(['second']);
    });

    test("a job of another CI system, or outside of the runner's scope, binds no agent, though its runner's id is equal", async () => {
      const { launches, registrations } = await withRunner();
      const others = [
        { ciSystem: 'otherci' },
        { repository: { owner: 'strangers', name: 'app' } },
        { repository: { owner: '', name: 'acme' } },
      ];

      for (const other of others) {
        const bound = await registrations.bind('job', jobRunner(runner.id, other), { jobKey }, epochMs + 2);
        expect(bound).toBeUndefined();
      }
      expect(await launches.get('job')).not.toHaveProperty('runs');
      const sameInOtherCase = jobRunner(runner.id, { repository: { owner: 'Acme', name: 'App' } });
      expect(await registrations.bind('job', sameInOtherCase, { jobKey }, epochMs + 3)).toMatchObject({
        runs: { jobKey },
      });
    });

    test('the first mark of retiring stays, and an agent that runs a job gets none', async () => {
      const { registrations } = await withRunner();

      const retired = await registrations.retire('job', 'surplus', epochMs + 2);
      const again = await registrations.retire('job', 'idle', epochMs + 3);
      const bound = await registrations.bind('job', jobRunner(runner.id), { jobKey }, epochMs + 4);

      expect(retired?.retiring).toEqual({ reason: 'surplus', sinceEpochMs: epochMs + 2 });
      expect(again).toEqual(retired);
      expect(bound).toMatchObject({ retiring: retired?.retiring, runs: { jobKey } });
      const other = await withRunner();
      await other.registrations.bind('job', jobRunner(runner.id), { jobKey }, epochMs + 4);
      expect(await other.registrations.retire('job', 'surplus', epochMs + 5)).not.toHaveProperty('retiring');
    });

    test('a request to end a launch unless it runs a job leaves a running agent alone', async () => {
      const { launches, registrations } = await withRunner();
      await registrations.bind('job', jobRunner(runner.id), { jobKey }, epochMs + 2);

      const spared = await launches.end('job', endingOf(), { unlessRunning: true });

      expect(spared).toMatchObject({ status: 'connected', runs: { jobKey } });
      expect(await launches.get('job')).toEqual(spared);
      expect(await launches.end('job', endingOf())).toMatchObject({ status: 'cleaning', runs: { jobKey } });
    });

    test('the first moment of deregistering stays, and counts only for the runner in the record', async () => {
      const { launches, registrations } = await withRunner();

      await registrations.noteDeregistered('job', later.id, epochMs + 2);
      expect(await launches.get('job')).not.toHaveProperty('deregisteredAtEpochMs');
      await registrations.noteDeregistered('job', runner.id, epochMs + 3);
      await registrations.noteDeregistered('job', runner.id, epochMs + 4);
      expect(await launches.get('job')).toMatchObject({ deregisteredAtEpochMs: epochMs + 3 });
    });

    test('a launch that does not exist has no registration, and gets no record', async () => {
      const { launches, registrations } = await makeTable();

      expect(await registrations.begin(agentOf('job'), 'nonce', epochMs)).toBeUndefined();
      expect(await registrations.take(agentOf('job'), 'nonce', 'own')).toBeUndefined();
      expect(await registrations.complete(agentOf('job'), 'nonce', runner, epochMs)).toBeUndefined();
      expect(await registrations.bind('job', jobRunner(runner.id), { jobKey }, epochMs)).toBeUndefined();
      expect(await registrations.retire('job', 'surplus', epochMs)).toBeUndefined();
      await registrations.noteDeregistered('job', runner.id, epochMs);
      expect(await launches.get('job')).toBeUndefined();
    });
  });
}

/** Makes an id for each of many launches in one table. */
function launchIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `job-${count}`;
  };
}

/** The answers and the final state for each order of the calls. The answers are in the calls' own order. */
function outcomesOf(calls: readonly Call[], start: LaunchRecord): { record: LaunchRecord; answers: unknown[] }[] {
  return ordersOf(calls.map((_, index) => index)).map((order) => {
    const answers: unknown[] = calls.map(() => undefined);
    let record = start;
    for (const index of order) {
      const outcome = calls[index]?.expected(record);
      record = outcome?.record ?? record;
      answers[index] = outcome?.answer;
    }
    return { record, answers };
  });
}

function ordersOf(indexes: readonly number[]): number[][] {
  if (indexes.length === 0) return [[]];
  return indexes.flatMap((first) =>
    ordersOf(indexes.filter((index) => index !== first)).map((rest) => [first, ...rest]),
  );
}
