import type { Generation } from '../../core/launch/launch-record.ts';
import { nextGeneration } from '../../core/launch/plan-launch.ts';
import type { Launches } from '../../ports/launches.ts';
import { agentOf, epochMs, planOf, recordOf, signalOf } from './launch-fixtures.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);

function endedOf(launchId: string, overrides: Partial<Generation> = {}): Generation {
  const { agentName } = agentOf(launchId);
  return { agentName, code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: epochMs, ...overrides };
}

/**
 * The contract of every launches table for a launch's generations.
 *
 * @param makeLaunches returns an empty table each time
 */
export function describeRelaunches(name: string, makeLaunches: () => Promise<Launches>): void {
  describe(`relaunches (${name})`, () => {
    test('after a relaunch only the new agent connects', async () => {
      const launches = await makeLaunches();
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
      const launches = await makeLaunches();
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
      const launches = await makeLaunches();
      await launches.request(recordOf('job'));
      await launches.noteTimeline('job', agentOf('job').agentName, { podMs: 3, tokenMs: 5 });
      const ended = endedOf('job', { timeline: { podMs: 3, hostMs: 4 } });

      const record = await launches.relaunch(nextGeneration(planOf('job'), epochMs + 1), ended);

      expect(record?.generations).toEqual([{ ...ended, timeline: { podMs: 3, hostMs: 4, tokenMs: 5 } }]);
      expect(record).not.toHaveProperty('timeline');
    });

    test('a relaunch and a simultaneous connect exclude each other', async () => {
      const launches = await makeLaunches();

      for (const index of twenty) {
        const launchId = `job-${index}`;
        await launches.request(recordOf(launchId));
        const connecting = () => launches.markConnected(agentOf(launchId), epochMs);
        const relaunching = async () => {
          await launches.relaunch(nextGeneration(planOf(launchId), epochMs), endedOf(launchId));
        };
        const calls = index % 2 === 0 ? [connecting(), relaunching()] : [relaunching(), connecting()];
        const isConnected = (await Promise.all<unknown>(calls)).some(Boolean);

        expect(await launches.get(launchId)).toMatchObject(
          isConnected
            ? { status: 'connected', plan: { generation: 1 } }
            : { status: 'launching', plan: { generation: 2 } },
        );
      }
    });

    test('a relaunch for an agent that is not the current one changes nothing', async () => {
      const launches = await makeLaunches();
      await launches.request(recordOf('job'));
      const third = nextGeneration(nextGeneration(planOf('job'), epochMs), epochMs);

      const record = await launches.relaunch(third, endedOf('job', { agentName: agentOf('job', 2).agentName }));

      expect(record).toEqual(recordOf('job'));
      expect(await launches.get('job')).toEqual(recordOf('job'));
    });

    test('a relaunch of a launch that does not exist returns and creates nothing', async () => {
      const launches = await makeLaunches();

      expect(await launches.relaunch(nextGeneration(planOf('job'), epochMs), endedOf('job'))).toBeUndefined();
      expect(await launches.get('job')).toBeUndefined();
    });
  });
}
