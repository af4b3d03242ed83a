import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { LaunchRecord } from '../../functions/domain/launch-record.ts';
import { nextGeneration } from '../../functions/domain/plan-launch.ts';
import { agentOf, endingOf, epochMs, joinedPlanOf, recordOf, signalOf } from './launch-fixtures.ts';
import { anyCall, type Call, type RegistrationsUnderTest } from './registrations-model.ts';

const runner = { id: 7, name: 'davit-0a1b2c3d-job' };
const later = { id: 9, name: 'davit-0a1b2c3d-job' };
const jobKey = 'gitea/1/8/1';
const twenty = Array.from({ length: 20 }, (_, index) => index);

/**
 * What every launches table does with joining a CI system and leaving it.
 *
 * @param makeTable gives an empty table each time
 */
export function describeRegistrations(name: string, makeTable: () => Promise<RegistrationsUnderTest>): void {
  async function withLaunch(launchId = 'job'): Promise<RegistrationsUnderTest> {
    const table = await makeTable();
    await table.launches.request(recordOf(launchId, { plan: joinedPlanOf(launchId) }));
    return table;
  }
  async function withRunner(): Promise<RegistrationsUnderTest> {
    const table = await withLaunch();
    await table.registrations.begin(agentOf('job'), 'nonce', epochMs);
    await table.registrations.complete(agentOf('job'), 'nonce', runner, epochMs + 1);
    return table;
  }

  describe(`registrations (${name})`, () => {
    test('any sequence of calls leaves and answers what the model says', async () => {
      const table = await makeTable();
      const nextLaunch = launchIds();
      await fc.assert(
        fc.asyncProperty(fc.array(anyCall, { maxLength: 30, size: 'max' }), async (calls) => {
          const launchId = nextLaunch();
          let model: LaunchRecord = recordOf(launchId, { plan: joinedPlanOf(launchId) });
          await table.launches.request(model);
          for (const call of calls) {
            const { record, answer } = call.expected(model);
            model = record;
            expect({ [call.title]: await call.made(table, launchId) }).toEqual({ [call.title]: answer });
            expect(await table.launches.get(launchId)).toEqual(model);
          }
        }),
        { numRuns: 50 },
      );
    }, 60_000);

    test('calls at once answer and leave what some order of them does', async () => {
      const table = await makeTable();
      const nextLaunch = launchIds();
      const before = fc.array(anyCall, { maxLength: 6 });
      const atOnce = fc.array(anyCall, { minLength: 2, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(before, atOnce, async (first, calls) => {
          const launchId = nextLaunch();
          const requested = recordOf(launchId, { plan: joinedPlanOf(launchId) });
          await table.launches.request(requested);
          for (const call of first) await call.made(table, launchId);
          const start = (await table.launches.get(launchId)) ?? requested;

          const answers = await Promise.all(calls.map((call) => call.made(table, launchId)));

          const record = await table.launches.get(launchId);
          expect(outcomesOf(calls, start)).toContainEqual({ record, answers });
        }),
        { numRuns: 50 },
      );
    }, 60_000);

    test('an agent that is registered is connected, and what its CI system said goes then, not when its Pod is seen well', async () => {
      const { launches, registrations } = await withLaunch();
      const said = signalOf({ code: 'CiUnavailable', sinceEpochMs: epochMs });
      await launches.noteSignal('job', said);
      await launches.clearSignal('job', epochMs + 1);
      expect(await launches.get('job')).toMatchObject({ signal: said });

      const begun = await registrations.begin(agentOf('job'), 'nonce', epochMs);
      const plan = await registrations.complete(agentOf('job'), 'nonce', runner, epochMs + 1);

      expect(begun).toMatchObject({ registration: { nonce: 'nonce', begunAtEpochMs: epochMs, count: 1 } });
      expect(plan).toEqual(joinedPlanOf('job'));
      const record = await launches.get('job');
      expect(record).toMatchObject({ status: 'connected', runner, connectedAtEpochMs: epochMs + 1 });
      expect(record?.signal).toBeUndefined();
    });

    test('of two registrations the one that was begun last completes, and the other is told', async () => {
      const { launches, registrations } = await withLaunch();
      await registrations.begin(agentOf('job'), 'first', epochMs);
      await registrations.begin(agentOf('job'), 'second', epochMs + 1);

      expect(await registrations.complete(agentOf('job'), 'first', runner, epochMs + 2)).toBeUndefined();
      expect(await registrations.complete(agentOf('job'), 'second', later, epochMs + 3)).toBeDefined();
      expect(await launches.get('job')).toMatchObject({ runner: later, registration: { nonce: 'second', count: 2 } });
    });

    test('one that is begun anew counts on, and keeps the first moment of connecting', async () => {
      const { launches, registrations } = await withRunner();

      await registrations.begin(agentOf('job'), 'again', epochMs + 10);
      await registrations.noteDeregistered('job', runner.id, epochMs + 11);
      const plan = await registrations.complete(agentOf('job'), 'again', later, epochMs + 12);

      expect(plan).toBeDefined();
      const record = await launches.get('job');
      expect(record).toMatchObject({ runner: later, connectedAtEpochMs: epochMs + 1, registration: { count: 2 } });
      expect(record?.deregisteredAtEpochMs).toBeUndefined();
    });

    test('a runner that was not seen to be gone is not overwritten', async () => {
      const { launches, registrations } = await withRunner();
      await registrations.begin(agentOf('job'), 'again', epochMs + 10);

      expect(await registrations.complete(agentOf('job'), 'again', later, epochMs + 11)).toBeUndefined();
      expect(await launches.get('job')).toMatchObject({ runner });
    });

    test('one whose launch is ended, or retired, in between is refused, and none is begun from then on', async () => {
      for (const over of ['ended', 'retired'] as const) {
        const { launches, registrations } = await withLaunch();
        await registrations.begin(agentOf('job'), 'nonce', epochMs);
        if (over === 'ended') await launches.end('job', endingOf());
        else await registrations.retire('job', 'surplus', epochMs + 1);
        const before = await launches.get('job');

        expect(await registrations.complete(agentOf('job'), 'nonce', runner, epochMs + 2)).toBeUndefined();
        expect(await registrations.begin(agentOf('job'), 'again', epochMs + 3)).toBeUndefined();
        expect(await launches.get('job')).toEqual(before);
      }
    });

    test('one of an earlier generation is forgotten by the relaunch, and cannot complete or begin', async () => {
      const { launches, registrations } = await withLaunch();
      await registrations.begin(agentOf('job', 1), 'nonce', epochMs);
      const ended = { code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: epochMs + 1 };
      await launches.relaunch(nextGeneration(joinedPlanOf('job'), epochMs + 1), { ...agentOf('job', 1), ...ended });

      expect(await registrations.complete(agentOf('job', 1), 'nonce', runner, epochMs + 2)).toBeUndefined();
      expect(await registrations.complete(agentOf('job', 2), 'nonce', runner, epochMs + 2)).toBeUndefined();
      expect(await registrations.begin(agentOf('job', 1), 'again', epochMs + 3)).toBeUndefined();
      expect(await launches.get('job')).not.toHaveProperty('registration');
      expect(await registrations.begin(agentOf('job', 2), 'new', epochMs + 4)).toMatchObject({
        registration: { nonce: 'new', count: 1 },
      });
    });

    test('a launch that joins a CI system is connected by its registration alone', async () => {
      const { launches, registrations } = await withLaunch();

      expect(await launches.markConnected(agentOf('job'), epochMs)).toBeUndefined();
      expect(await launches.get('job')).toMatchObject({ status: 'launching' });
      await registrations.begin(agentOf('job'), 'nonce', epochMs);
      await registrations.complete(agentOf('job'), 'nonce', runner, epochMs + 1);
      expect(await launches.markConnected(agentOf('job'), epochMs + 2)).toBeUndefined();
    });

    test('an agent is bound to one job, once, and only by the id of its runner', async () => {
      const { launches, registrations } = await withRunner();

      expect(await registrations.bind('job', later.id, jobKey, epochMs + 2)).toBeUndefined();
      expect(await launches.get('job')).not.toHaveProperty('runs');
      const bound = await registrations.bind('job', runner.id, jobKey, epochMs + 3);
      expect(bound?.runs).toEqual({ jobKey, sinceEpochMs: epochMs + 3 });
      expect(await registrations.bind('job', runner.id, jobKey, epochMs + 4)).toEqual(bound);
      expect(await registrations.bind('job', runner.id, 'gitea/1/9/1', epochMs + 5)).toEqual(bound);
      expect(await registrations.begin(agentOf('job'), 'again', epochMs + 6)).toBeUndefined();
    });

    test('a launch that is over is bound, too', async () => {
      const { launches, registrations } = await withRunner();
      await launches.end('job', endingOf());

      expect(await registrations.bind('job', runner.id, jobKey, epochMs + 3)).toMatchObject({
        status: 'cleaning',
        runs: { jobKey },
      });
    });

    test('of many jobs at once one is bound, and all are told which', async () => {
      const { launches, registrations } = await withRunner();

      const bound = await Promise.all(
        twenty.map((index) => registrations.bind('job', runner.id, `gitea/1/${index}/1`, epochMs + index)),
      );

      const record = await launches.get('job');
      for (const each of bound) expect(each).toEqual(record);
    });

    test('a job that begins while its agent is registered is bound, or its caller is told that it is not', async () => {
      const { launches, registrations } = await makeTable();
      for (const index of twenty) {
        const launchId = `job-${index}`;
        await launches.request(recordOf(launchId, { plan: joinedPlanOf(launchId) }));
        await registrations.begin(agentOf(launchId), 'nonce', epochMs);

        const [bound] = await Promise.all([
          registrations.bind(launchId, runner.id, jobKey, epochMs),
          registrations.complete(agentOf(launchId), 'nonce', runner, epochMs),
        ]);

        const record = await launches.get(launchId);
        expect(record?.runs?.jobKey).toBe(bound === undefined ? undefined : jobKey);
        expect(bound).toEqual(bound === undefined ? undefined : record);
      }
    });

    test('the first mark of retiring stays, and one that runs something gets none', async () => {
      const { registrations } = await withRunner();

      const retired = await registrations.retire('job', 'surplus', epochMs + 2);
      const again = await registrations.retire('job', 'idle', epochMs + 3);
      const bound = await registrations.bind('job', runner.id, jobKey, epochMs + 4);

      expect(retired?.retiring).toEqual({ reason: 'surplus', sinceEpochMs: epochMs + 2 });
      expect(again).toEqual(retired);
      expect(bound).toMatchObject({ retiring: retired?.retiring, runs: { jobKey } });
      const other = await withRunner();
      await other.registrations.bind('job', runner.id, jobKey, epochMs + 4);
      expect(await other.registrations.retire('job', 'surplus', epochMs + 5)).not.toHaveProperty('retiring');
    });

    test('an agent that runs a job is not ended by who ends unless it runs', async () => {
      const { launches, registrations } = await withRunner();
      await registrations.bind('job', runner.id, jobKey, epochMs + 2);

      const spared = await launches.end('job', endingOf(), { unlessRunning: true });

      expect(spared).toMatchObject({ status: 'connected', runs: { jobKey } });
      expect(await launches.get('job')).toEqual(spared);
      expect(await launches.end('job', endingOf())).toMatchObject({ status: 'cleaning', runs: { jobKey } });
    });

    test('one that is ended unless it runs, while it is given a job, is ended exactly if the job came later', async () => {
      const { launches, registrations } = await makeTable();
      for (const index of twenty) {
        const launchId = `job-${index}`;
        await launches.request(recordOf(launchId, { plan: joinedPlanOf(launchId) }));
        await registrations.begin(agentOf(launchId), 'nonce', epochMs);
        await registrations.complete(agentOf(launchId), 'nonce', runner, epochMs);

        const [bound] = await Promise.all([
          registrations.bind(launchId, runner.id, jobKey, epochMs),
          launches.end(launchId, endingOf(), { unlessRunning: true }),
        ]);

        const record = await launches.get(launchId);
        expect(record?.runs?.jobKey).toBe(jobKey);
        expect(record?.status).toBe(bound?.status);
      }
    });

    test('the first moment of deregistering stays, and only of the runner in the record', async () => {
      const { launches, registrations } = await withRunner();

      await registrations.noteDeregistered('job', later.id, epochMs + 2);
      expect(await launches.get('job')).not.toHaveProperty('deregisteredAtEpochMs');
      await registrations.noteDeregistered('job', runner.id, epochMs + 3);
      await registrations.noteDeregistered('job', runner.id, epochMs + 4);
      expect(await launches.get('job')).toMatchObject({ deregisteredAtEpochMs: epochMs + 3 });
    });

    test('a launch that there is not has no registration, and gets no record', async () => {
      const { launches, registrations } = await makeTable();

      expect(await registrations.begin(agentOf('job'), 'nonce', epochMs)).toBeUndefined();
      expect(await registrations.complete(agentOf('job'), 'nonce', runner, epochMs)).toBeUndefined();
      expect(await registrations.bind('job', runner.id, jobKey, epochMs)).toBeUndefined();
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

/** What each order of the calls answers, in the calls' own order, and leaves. */
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
