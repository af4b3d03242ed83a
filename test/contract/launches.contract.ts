import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Launches, LaunchPage } from '../../functions/ports/launches.ts';
import { agentOf, endingOf, epochMs, planOf, recordOf, signalOf } from './launch-fixtures.ts';
import { launchCommands } from './launches-model.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);

/** A table that the contract is held to. */
export interface LaunchesUnderTest {
  launches: Launches;
  /** Makes the record of a launch one that cannot be read. */
  damage: (launchId: string) => Promise<void>;
}

/**
 * What every launches table does.
 *
 * @param makeLaunches gives an empty table each time
 */
export function describeLaunches(name: string, makeLaunches: () => Promise<LaunchesUnderTest>): void {
  describe(`launches (${name})`, () => {
    test('any sequence of calls leaves what the model says', async () => {
      await fc.assert(
        fc.asyncProperty(launchCommands, async (commands) => {
          const { launches: real } = await makeLaunches();
          await fc.asyncModelRun(() => ({ model: new Map(), real }), commands);
        }),
        { numRuns: 25 },
      );
    }, 60_000);

    test('of many requests at once one creates the record and all return it', async () => {
      const { launches } = await makeLaunches();

      const requested = await Promise.all(
        twenty.map((index) => launches.request(recordOf('job', { env: { INDEX: `${index}` } }))),
      );

      const winners = requested.filter(({ created }) => created);
      expect(winners).toHaveLength(1);
      expect(new Set(requested.map(({ record }) => record.env?.['INDEX']))).toEqual(
        new Set([winners[0]?.record.env?.['INDEX']]),
      );
    });

    test('of many connections at once one sets the moment and all are told their plan', async () => {
      const { launches } = await makeLaunches();
      await launches.request(recordOf('job'));

      const connected = await Promise.all(
        twenty.map((index) => launches.markConnected(agentOf('job'), epochMs + index)),
      );
      const record = await launches.get('job');
      await launches.markConnected(agentOf('job'), epochMs + 99);

      expect(connected).toEqual(twenty.map(() => planOf('job')));
      expect(record?.connectedAtEpochMs).toBeLessThan(epochMs + 20);
      expect(await launches.get('job')).toEqual(record);
    });

    test('of many endings at once one stays and all return it', async () => {
      const { launches } = await makeLaunches();
      await launches.request(recordOf('job'));

      const ended = await Promise.all(twenty.map((index) => launches.end('job', endingOf({ by: `caller ${index}` }))));

      const record = await launches.get('job');
      expect(record?.status).toBe('cleaning');
      for (const each of ended) expect(each).toEqual(record);
    });

    test('an agent that connects while its launch is ended is let in exactly if its moment is in the record', async () => {
      const { launches } = await makeLaunches();

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

    test('an agent that connects before its launch is ended unless connected stays, and one that comes later is refused', async () => {
      const { launches } = await makeLaunches();

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

    test('of many signals with one code at once the first moment stays and all return it', async () => {
      const { launches } = await makeLaunches();
      await launches.request(recordOf('job'));

      const noted = await Promise.all(
        twenty.map((index) => launches.noteSignal('job', signalOf({ sinceEpochMs: epochMs + index }))),
      );

      const record = await launches.get('job');
      expect(new Set(noted.map(({ sinceEpochMs }) => sinceEpochMs))).toEqual(new Set([record?.signal?.sinceEpochMs]));
    });

    test('a signal is cleared by who saw the Pod well since, and by nobody else', async () => {
      const { launches } = await makeLaunches();
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
      const { launches } = await makeLaunches();
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

    test('of many clean-ups at once one sets the moment, which stays', async () => {
      const { launches } = await makeLaunches();
      await launches.request(recordOf('job'));
      await launches.end('job', endingOf());

      await Promise.all(twenty.map((index) => launches.markCleaned('job', epochMs + index)));
      const record = await launches.get('job');
      await launches.markCleaned('job', epochMs + 99);

      expect(record?.status).toBe('failed');
      expect(record?.cleanedAtEpochMs).toBeLessThan(epochMs + 20);
      expect(await launches.get('job')).toEqual(record);
    });

    test('what a cluster told of a failed launch is kept once, and while it is cleaned up only', async () => {
      const { launches } = await makeLaunches();
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

    test('of many claims of one clean-up at once one is granted, and none until the time is over', async () => {
      const { launches } = await makeLaunches();
      await launches.request(recordOf('job'));
      await launches.end('job', endingOf());

      const claims = await Promise.all(twenty.map(() => launches.claimCleanUp('job', epochMs, epochMs - 1)));
      const tooSoon = await launches.claimCleanUp('job', epochMs + 50, epochMs - 1);
      const inTime = await launches.claimCleanUp('job', epochMs + 99, epochMs);

      expect(claims.filter(Boolean)).toHaveLength(1);
      expect({ tooSoon, inTime }).toEqual({ tooSoon: false, inTime: true });
    });

    test('many records are read at once: those that there are, each as it is alone', async () => {
      const { launches } = await makeLaunches();
      const launchIds = Array.from({ length: 130 }, (_, index) => `job-${index}`);
      for (const launchId of launchIds) await launches.request(recordOf(launchId));
      await launches.end('job-7', endingOf());

      const found = await launches.getMany([...launchIds, 'job-7', 'never-asked-for']);

      expect([...found.records.keys()].sort()).toEqual(launchIds.toSorted());
      expect(found.records.get('job-7')).toEqual(await launches.get('job-7'));
      expect(found.unreadable).toEqual([]);
      expect(await launches.getMany([])).toEqual({ records: new Map(), unreadable: [] });
    });

    test('a record that cannot be read is told beside the others that are read with it, and is never taken for none', async () => {
      const { launches, damage } = await makeLaunches();
      for (const launchId of ['job-a', 'job-b', 'job-c']) await launches.request(recordOf(launchId));
      await damage('job-b');

      const found = await launches.getMany(['job-a', 'job-b', 'job-b', 'job-c', 'never-asked-for']);

      expect([...found.records.keys()].sort()).toEqual(['job-a', 'job-c']);
      expect(found.unreadable).toEqual([{ launchId: 'job-b', why: expect.stringMatching(/./) }]);
      await expect(launches.get('job-b')).rejects.toThrow();
    });

    test('records that cannot be read keep no others from being listed, and are each told once', async () => {
      const launchIds = ['job-a', 'job-b', 'job-c', 'job-d', 'job-e', 'job-f'];
      await fc.assert(
        fc.asyncProperty(fc.subarray(launchIds), fc.integer({ min: 1, max: 3 }), async (damaged, limit) => {
          const { launches, damage } = await makeLaunches();
          for (const [index, launchId] of launchIds.entries()) {
            await launches.request(recordOf(launchId, { requestedAtEpochMs: epochMs - index }));
          }
          for (const launchId of damaged) await damage(launchId);

          const pages: LaunchPage[] = [];
          let cursor: string | undefined;
          do {
            const page = await launches.list({ statuses: ['launching'], limit, ...(cursor ? { cursor } : {}) });
            pages.push(page ?? { launches: [], unreadable: [] });
            cursor = page?.cursor;
          } while (cursor !== undefined);

          const readable = launchIds.filter((launchId) => !damaged.includes(launchId));
          expect(pages.flatMap((page) => page.launches.map(({ launchId }) => launchId))).toEqual(readable);
          expect(pages.flatMap(({ unreadable }) => unreadable.map(({ launchId }) => launchId))).toEqual(damaged);
          expect(pages).toHaveLength(Math.max(1, Math.ceil(readable.length / limit)));
        }),
        { numRuns: 20 },
      );
    });

    test('launches are listed by status in the order that is asked for, newest first within each', async () => {
      const { launches } = await makeLaunches();
      for (const [index, launchId] of ['job-a', 'job-b', 'job-c', 'job-d', 'job-e'].entries()) {
        await launches.request(recordOf(launchId, { requestedAtEpochMs: epochMs + index }));
      }
      await launches.markConnected(agentOf('job-b'), epochMs);
      await launches.markConnected(agentOf('job-d'), epochMs);

      const statuses = ['connected', 'failed', 'launching'] as const;
      const first = await launches.list({ statuses, limit: 3 });
      const second = await launches.list({ statuses, limit: 3, cursor: first?.cursor ?? '' });

      expect(first?.launches.map(({ launchId }) => launchId)).toEqual(['job-d', 'job-b', 'job-e']);
      expect(second?.launches.map(({ launchId }) => launchId)).toEqual(['job-c', 'job-a']);
      expect(second?.cursor).toBeUndefined();
    });

    test('launches of one moment are each listed once, however the pages fall', async () => {
      const { launches } = await makeLaunches();
      for (const index of twenty) await launches.request(recordOf(`job-${index}`));

      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { statuses: ['launching'] as const, limit: 3 };
        const page = await launches.list(cursor === undefined ? query : { ...query, cursor });
        ids.push(...(page?.launches ?? []).map(({ launchId }) => launchId));
        cursor = page?.cursor;
      } while (cursor !== undefined);

      expect(ids.sort()).toEqual(twenty.map((index) => `job-${index}`).sort());
    });

    test('a cursor that is not ours is answered with undefined', async () => {
      const { launches } = await makeLaunches();
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
