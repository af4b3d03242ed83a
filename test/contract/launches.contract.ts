import * as fc from 'fast-check';
import type { LaunchFilter } from '../../core/launch/launch-filter.ts';
import type { Generation } from '../../core/launch/launch-record.ts';
import { nextGeneration } from '../../core/launch/plan-launch.ts';
import type { Launches, LaunchPage } from '../../ports/launches.ts';
import { agentOf, endingOf, epochMs, planOf, recordOf, signalOf } from './launch-fixtures.ts';
import { launchCommands, pagesOf } from './launches-model.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);

function endedOf(launchId: string, overrides: Partial<Generation> = {}): Generation {
  const { agentName } = agentOf(launchId);
  return { agentName, code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: epochMs, ...overrides };
}

/** A table under the contract. */
export interface LaunchesUnderTest {
  launches: Launches;
  /** Makes a launch's record unreadable. */
  damage: (launchId: string) => Promise<void>;
}

/**
 * The contract of every launches table.
 *
 * @param makeLaunches returns an empty table each time
 * @param numRuns how many runs each property gets
 */
export function describeLaunches(name: string, makeLaunches: () => Promise<LaunchesUnderTest>, numRuns = 15): void {
  describe(`launches (${name})`, () => {
    let launches: Launches;
    let damage: LaunchesUnderTest['damage'];
    beforeEach(async () => {
      ({ launches, damage } = await makeLaunches());
    });

    test('any sequence of calls leaves the state that the model predicts', async () => {
      await fc.assert(
        fc.asyncProperty(launchCommands, async (commands) => {
          const { launches: real } = await makeLaunches();
          await fc.asyncModelRun(() => ({ model: new Map(), real }), commands);
        }),
        { numRuns },
      );
    });

    test('a record keeps labels and variables by names that JavaScript reserves', async () => {
      const reserved = { constructor: 'a', toString: 'b', hasOwnProperty: 'c', prototype: 'd', length: 'e' };

      await launches.request(recordOf('job', { env: reserved, labels: reserved }));

      expect(await launches.get(recordOf('job').launchId)).toMatchObject({ env: reserved, labels: reserved });
    });

    test('many requests arrive at the same time: one creates the record, and all return it', async () => {
      const requested = await Promise.all(
        twenty.map((index) => launches.request(recordOf('job', { env: { INDEX: `${index}` } }))),
      );

      const winners = requested.filter(({ created }) => created);
      expect(winners).toHaveLength(1);
      expect(new Set(requested.map(({ record }) => record.env?.['INDEX']))).toEqual(
        new Set([winners[0]?.record.env?.['INDEX']]),
      );
    });

    test('many endings arrive at the same time: one stays, and all return it', async () => {
      await launches.request(recordOf('job'));

      const ended = await Promise.all(twenty.map((index) => launches.end('job', endingOf({ by: `caller ${index}` }))));

      const record = await launches.get('job');
      expect(record?.status).toBe('cleaning');
      for (const each of ended) expect(each).toEqual(record);
    });

    test('an agent that connects while its launch ends is admitted exactly if its moment is in the record', async () => {
      for (const index of twenty) {
        const launchId = `job-${index}`;
        await launches.request(recordOf(launchId));
        const connecting = () => launches.markConnected(agentOf(launchId), epochMs);
        const ending = async () => void (await launches.end(launchId, endingOf()));
        const calls = index % 2 === 0 ? [connecting(), ending()] : [ending(), connecting()];
        const connected = (await Promise.all(calls)).some(Boolean);

        const record = await launches.get(launchId);
        expect(record?.status).toBe('cleaning');
        expect(record?.connectedAtEpochMs).toBe(connected ? epochMs : undefined);
      }
    });

    test('ending unless connected keeps an agent that connected before, and refuses one that connects after', async () => {
      for (const index of twenty) {
        const launchId = `job-${index}`;
        await launches.request(recordOf(launchId));
        const connecting = async () => await launches.markConnected(agentOf(launchId), epochMs);
        const ending = async () => await launches.end(launchId, endingOf(), { unlessConnected: true });
        const isFirst = index % 2 === 0;
        const [plan, ended] = isFirst
          ? await Promise.all([connecting(), ending()])
          : (await Promise.all([ending(), connecting()])).toReversed();

        const record = await launches.get(launchId);
        expect(record?.status).toBe(plan === undefined ? 'cleaning' : 'connected');
        expect(record?.ending).toEqual(plan === undefined ? endingOf() : undefined);
        expect(ended).toEqual(record);
      }
    });

    test('many signals with one code arrive at the same time: the first moment stays, and all return it', async () => {
      await launches.request(recordOf('job'));

      const noted = await Promise.all(
        twenty.map((index) => launches.noteSignal('job', signalOf({ sinceEpochMs: epochMs + index }))),
      );

      const record = await launches.get('job');
      expect(new Set(noted.map(({ sinceEpochMs }) => sinceEpochMs))).toEqual(new Set([record?.signal?.sinceEpochMs]));
    });

    test('only a caller that has since seen the Pod healthy clears a signal', async () => {
      const signal = signalOf({ sinceEpochMs: epochMs + 10 });
      await launches.request(recordOf('job'));
      await launches.noteSignal('job', signal);

      await launches.clearSignal('job', epochMs + 9);
      await launches.clearSignal('never-asked-for', epochMs + 10);
      const kept = await launches.get('job');
      await launches.clearSignal('job', epochMs + 10);
      await launches.clearSignal('job', epochMs + 10);

      expect(kept?.signal).toEqual(signal);
      expect(await launches.get('job')).toEqual(recordOf('job'));
      expect(await launches.get('never-asked-for')).toBeUndefined();
    });

    test('a signal of an agent that has connected, or of a launch that is over, is not cleared', async () => {
      const signal = signalOf({ sinceEpochMs: epochMs });
      for (const launchId of ['connected', 'over']) {
        await launches.request(recordOf(launchId));
        await launches.noteSignal(launchId, signal);
      }
      await launches.markConnected(agentOf('connected'), epochMs);
      await launches.end('over', endingOf());

      for (const launchId of ['connected', 'over']) {
        await launches.clearSignal(launchId, epochMs + 1);

        expect((await launches.get(launchId))?.signal).toEqual(signal);
      }
    });

    test('what the Pod says is noted with how far the launch has come, and only while its present agent starts', async () => {
      const podState = { detail: 'phase Pending', atEpochMs: epochMs };
      await launches.request(recordOf('job'));
      await launches.noteSignal('job', signalOf(), 'davit-job', { serviceMs: 1, portMs: 2, podMs: 3 });
      await launches.notePodState('job', podState, 'davit-job-r2', { tokenMs: 9 });
      const refused = await launches.get('job');
      await launches.notePodState('job', podState, 'davit-job', { serviceMs: 1, podMs: 3, hostMs: 4 });
      const noted = await launches.get('job');
      await launches.markConnected(agentOf('job'), epochMs + 1);
      await launches.notePodState('job', { ...podState, detail: 'late' }, 'davit-job', {});

      expect(refused).toMatchObject({ timeline: { serviceMs: 1, portMs: 2, podMs: 3 } });
      expect(refused).not.toHaveProperty('podState');
      expect(noted).toMatchObject({ podState, timeline: { serviceMs: 1, portMs: 2, podMs: 3, hostMs: 4 } });
      expect((await launches.get('job'))?.podState).toEqual(podState);
    });

    test('how far its present agent has come is noted while the launch starts, and takes no step back', async () => {
      await launches.request(recordOf('job'));
      await launches.noteSignal('job', signalOf(), 'davit-job', { podMs: 3 });
      await launches.noteTimeline('job', 'davit-job-r2', { tokenMs: 9 });
      const refused = await launches.get('job');
      await launches.noteTimeline('job', 'davit-job', { hostMs: 4, tokenMs: 5 });
      const noted = await launches.get('job');
      await launches.end('job', endingOf());
      await launches.noteTimeline('job', 'davit-job', { tokenMs: 6 });

      expect(refused?.timeline).toEqual({ podMs: 3 });
      expect(noted?.timeline).toEqual({ podMs: 3, hostMs: 4, tokenMs: 5 });
      expect((await launches.get('job'))?.timeline).toEqual({ podMs: 3, hostMs: 4, tokenMs: 5 });
    });

    test('a launch ends without the steps of an earlier generation', async () => {
      await launches.request(recordOf('job'));
      const { agentName } = agentOf('job');
      await launches.relaunch(nextGeneration(planOf('job'), epochMs + 1), endedOf('job'));
      await launches.end('job', endingOf(), { reached: { agentName, timeline: { podMs: 3, hostMs: 4 } } });

      expect(await launches.get('job')).not.toHaveProperty('timeline');
    });

    test('after a relaunch only the new agent connects', async () => {
      await launches.request(recordOf('job'));
      await launches.relaunch(nextGeneration(planOf('job'), epochMs + 1), endedOf('job'));

      const before = await launches.get('job');
      expect(await launches.markConnected(agentOf('job', 1), epochMs + 2)).toBeUndefined();
      expect(await launches.markConnected(agentOf('job', 3), epochMs + 2)).toBeUndefined();
      expect(await launches.get('job')).toEqual(before);
      expect(await launches.markConnected(agentOf('job', 2), epochMs + 3)).toMatchObject({ generation: 2 });
      expect(await launches.markConnected(agentOf('job', 1), epochMs + 4)).toBeUndefined();
    });

    test('after a relaunch only signals about the new agent are recorded', async () => {
      const late = signalOf({ sinceEpochMs: epochMs });
      const present = signalOf({ sinceEpochMs: epochMs + 20 });
      await launches.request(recordOf('job'));
      await launches.relaunch(nextGeneration(planOf('job'), epochMs + 1), endedOf('job'));

      await launches.noteSignal('job', late, agentOf('job').agentName);
      const before = await launches.get('job');
      await launches.noteSignal('job', present, agentOf('job', 2).agentName);
      const inEffect = await launches.noteSignal('job', { ...late, detail: 'late' }, agentOf('job').agentName);

      expect(before).not.toHaveProperty('signal');
      expect(inEffect).toEqual(present);
      expect((await launches.get('job'))?.signal).toEqual(present);
    });

    test('an ended generation has the steps that the record knew and those that its execution has', async () => {
      await launches.request(recordOf('job'));
      await launches.noteTimeline('job', agentOf('job').agentName, { podMs: 3, tokenMs: 5 });
      const ended = endedOf('job', { timeline: { podMs: 3, hostMs: 4 } });

      const record = await launches.relaunch(nextGeneration(planOf('job'), epochMs + 1), ended);

      expect(record?.generations).toEqual([{ ...ended, timeline: { podMs: 3, hostMs: 4, tokenMs: 5 } }]);
      expect(record).not.toHaveProperty('timeline');
    });

    test('a launch that may have left objects is over without a moment of its clean-up, and stays so', async () => {
      await launches.request(recordOf('job'));
      const left = { clusters: ['old'], atEpochMs: epochMs + 1 };

      await launches.markLeft('job', left);
      const before = await launches.get('job');
      await launches.end('job', endingOf());
      await launches.markLeft('job', left);
      await launches.markLeft('job', { clusters: ['older'], atEpochMs: epochMs + 2 });
      await launches.markCleaned('job', epochMs + 3);

      expect(before?.status).toBe('launching');
      expect(await launches.get('job')).toEqual({ ...recordOf('job'), status: 'failed', ending: endingOf(), left });
    });

    test('the diagnostics of a failed launch are kept once, and only while it is being cleaned up', async () => {
      const event = { type: 'Warning', reason: 'Failed', message: 'why', count: 1, lastSeenAtEpochMs: epochMs };
      const first = { atEpochMs: epochMs, events: [event], log: { container: 'agent', text: 'one' }, unread: [] };
      const second = { atEpochMs: epochMs + 1, events: [], unread: ['log: gone'] };
      await launches.request(recordOf('job'));

      await launches.noteDiagnostics('job', second);
      await launches.noteDiagnostics('never-asked-for', second);
      expect((await launches.get('job'))?.diagnostics).toBeUndefined();
      expect(await launches.get('never-asked-for')).toBeUndefined();

      await launches.end('job', endingOf());
      await launches.noteDiagnostics('job', first);
      await launches.noteDiagnostics('job', second);
      await launches.markCleaned('job', epochMs + 2);
      expect((await launches.get('job'))?.diagnostics).toEqual(first);
    });

    test('many callers claim one clean-up at the same time: one gets it, and no other until the claim has expired', async () => {
      await launches.request(recordOf('job'));
      await launches.end('job', endingOf());

      const claims = await Promise.all(twenty.map(() => launches.claimCleanUp('job', epochMs, epochMs - 1)));
      const tooSoon = await launches.claimCleanUp('job', epochMs + 50, epochMs - 1);
      const inTime = await launches.claimCleanUp('job', epochMs + 99, epochMs);

      expect(claims.filter(Boolean)).toHaveLength(1);
      expect({ tooSoon, inTime }).toEqual({ tooSoon: false, inTime: true });
    });

    test('many records are read at a time: every existing one, each as if it were read alone', async () => {
      const launchIds = Array.from({ length: 130 }, (_, index) => `job-${index}`);
      for (const launchId of launchIds) await launches.request(recordOf(launchId));
      await launches.end('job-7', endingOf());

      const found = await launches.getMany([...launchIds, 'job-7', 'never-asked-for']);

      expect([...found.records.keys()].sort()).toEqual(launchIds.toSorted());
      expect(found.records.get('job-7')).toEqual(await launches.get('job-7'));
      expect(found.unreadable).toEqual([]);
      expect(await launches.getMany([])).toEqual({ records: new Map(), unreadable: [] });
    });

    test('an unreadable record is reported beside the readable ones, and never counts as absent', async () => {
      for (const launchId of ['job-a', 'job-b', 'job-c']) await launches.request(recordOf(launchId));
      await damage('job-b');

      const found = await launches.getMany(['job-a', 'job-b', 'job-b', 'job-c', 'never-asked-for']);

      expect([...found.records.keys()].sort()).toEqual(['job-a', 'job-c']);
      expect(found.unreadable).toEqual([{ launchId: 'job-b', why: expect.stringMatching(/./) }]);
      await expect(launches.get('job-b')).rejects.toThrow();
    });

    test('unreadable records hide no others from the list, and each is reported once', async () => {
      const launchIds = ['job-a', 'job-b', 'job-c', 'job-d', 'job-e', 'job-f'];
      await fc.assert(
        fc.asyncProperty(fc.subarray(launchIds), fc.integer({ min: 1, max: 3 }), async (damaged, limit) => {
          ({ launches, damage } = await makeLaunches());
          for (const [index, launchId] of launchIds.entries()) {
            await launches.request(recordOf(launchId, { requestedAtEpochMs: epochMs - index }));
          }
          for (const launchId of damaged) await damage(launchId);

          const pages = await pagesOf(launches, { statuses: ['launching'], limit });

          const readable = launchIds.filter((launchId) => !damaged.includes(launchId));
          expect(idsOn(pages)).toEqual(readable);
          expect(pages.flatMap(({ unreadable }) => unreadable.map(({ launchId }) => launchId))).toEqual(damaged);
          expect(pages).toHaveLength(Math.max(1, Math.ceil(readable.length / limit)));
        }),
        { numRuns },
      );
    });

    test('launches of the same moment are each listed once, wherever the pages break', async () => {
      for (const index of twenty) await launches.request(recordOf(`job-${index}`));

      const pages = await pagesOf(launches, { statuses: ['launching'], limit: 3 });

      expect(idsOn(pages).sort()).toEqual(twenty.map((index) => `job-${index}`).sort());
    });

    test('launches are listed by time, profile, cluster and repository, each once, wherever the pages break', async () => {
      const sourceUrl = 'https://github.com/Acme/app/actions/runs/1';
      const scope = { repository: { owner: 'acme', name: 'app' } };
      const join = { ciSystem: 'github', scope, labels: ['linux'], idleSeconds: 60 };
      const plans = [{ profile: 'gpu' }, { cluster: 'west' }, { sourceUrl }, { join }, {}, { profile: 'gpu' }];
      for (const [index, plan] of plans.entries()) {
        const launchId = `job-${index}`;
        await launches.request(
          recordOf(launchId, { requestedAtEpochMs: epochMs + index, plan: planOf(launchId, plan) }),
        );
      }
      const listed = async (filter: LaunchFilter) =>
        idsOn(await pagesOf(launches, { statuses: ['launching'], filter, limit: 2 }));

      expect(await listed({ profile: 'gpu' })).toEqual(['job-5', 'job-0']);
      expect(await listed({ cluster: 'west' })).toEqual(['job-1']);
      expect(await listed({ repository: 'ACME/App' })).toEqual(['job-3', 'job-2']);
      expect(await listed({ repository: 'cme/app' })).toEqual([]);
      expect(await listed({ sinceEpochMs: epochMs + 1, untilEpochMs: epochMs + 4 })).toEqual([
        'job-4',
        'job-3',
        'job-2',
        'job-1',
      ]);
      expect(await listed({ sinceEpochMs: epochMs + 1, profile: 'gpu' })).toEqual(['job-5']);
      expect(await listed({ sinceEpochMs: epochMs + 4, untilEpochMs: epochMs + 1 })).toEqual([]);
    });

    test('a cursor of another time range is answered with undefined', async () => {
      for (const index of [1, 2])
        await launches.request(recordOf(`job-${index}`, { requestedAtEpochMs: epochMs + index }));
      const { cursor = '' } = (await launches.list({ statuses: ['launching'], limit: 1 })) ?? {};

      const filter = { untilEpochMs: epochMs + 1 };
      expect(await launches.list({ statuses: ['launching'], limit: 1, cursor, filter })).toBeUndefined();
    });

    test('a cursor that davit did not make is answered with undefined', async () => {
      await launches.request(recordOf('job'));
      const json = fc.json().map((text) => Buffer.from(text).toString('base64url'));

      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.string(), fc.base64String(), json), async (cursor) => {
          expect(await launches.list({ statuses: ['launching'], limit: 3, cursor })).toBeUndefined();
        }),
      );
    });
  });
}

function idsOn(pages: readonly LaunchPage[]): string[] {
  return pages.flatMap(({ launches }) => launches.map(({ launchId }) => launchId));
}
