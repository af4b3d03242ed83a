import * as fc from 'fast-check';
import {
  type Ending,
  type Hold,
  isLive,
  type LaunchRecord,
  type LaunchStatus,
  type Signal,
} from '../../core/launch/launch-record.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import type { Timeline } from '../../core/launch/timeline.ts';
import { present } from '../../core/present.ts';
import type { Launches, LaunchPage, LaunchQuery } from '../../ports/launches.ts';
import {
  agentOf,
  anyEnding,
  anyEpochMs,
  anySignal,
  anyTimeline,
  epochMs,
  planOf,
  recordOf,
  tombstoneOf,
} from './launch-fixtures.ts';

/** The model of the launches table: its complete specification, without a table and without concurrency. */
export type LaunchesModel = Map<string, LaunchRecord>;

type Command = fc.AsyncCommand<LaunchesModel, Launches>;

// Few launches, so that commands affect the same ones. The moments are not in the ids' order, and all differ.
const requestedAtEpochMs: Record<string, number> = { 'job-a': 3000, 'job-b': 1000, 'job-c': 4000, 'job-d': 2000 };
const anyLaunchId = fc.constantFrom(...Object.keys(requestedAtEpochMs));
const anyHoldSeconds = fc.constantFrom(undefined, 3600);
const anyRecord = fc
  .tuple(anyLaunchId, fc.boolean(), fc.dictionary(fc.constantFrom('A', 'B'), fc.string()), anyHoldSeconds)
  .map(([launchId, over, env, holdFailedSeconds]) => ({
    ...(over ? tombstoneOf(launchId) : recordOf(launchId, { plan: planOf(launchId, present({ holdFailedSeconds })) })),
    env,
    requestedAtEpochMs: requestedAtEpochMs[launchId] ?? 1,
  }));
const anyStatuses = fc.uniqueArray(
  fc.constantFrom<LaunchStatus>('launching', 'connected', 'cleaning', 'failed', 'terminated'),
);

/** Any sequence of calls to a launches table. The test compares each with the model and then reads the record. */
export const launchCommands = fc.commands(
  [
    anyOf(requestBoth, anyRecord),
    anyOf(noteBoth, anyLaunchId, anySignal),
    anyOf(clearBoth, anyLaunchId, anyEpochMs),
    anyOf(noteTimelineBoth, anyLaunchId, anyTimeline),
    anyOf(connectBoth, anyLaunchId, anyEpochMs, anyTimeline),
    anyOf(relaunchBoth, anyLaunchId, anyTimeline),
    anyOf(endBoth, anyLaunchId, anyEnding, fc.boolean(), anyTimeline),
    anyOf(claimBoth, anyLaunchId, anyEpochMs, anyEpochMs),
    anyOf(cleanBoth, anyLaunchId, anyEpochMs, anyTimeline),
    anyOf(listBoth, anyStatuses, fc.integer({ min: 1, max: 3 })),
  ],
  // Without a size fast-check stops at 10 or so, which is too few for pages to fill.
  { maxCommands: 40, size: 'max' },
);

type Run = (model: LaunchesModel, launches: Launches) => Promise<void>;

/** A command that runs with any of the values. */
function anyOf<Values extends unknown[]>(
  both: (...values: Values) => Run,
  ...values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> }
): fc.Arbitrary<Command> {
  return fc.tuple<Values>(...values).map((drawn) => ({
    check: () => true,
    async run(model, launches) {
      await both(...drawn)(model, launches);
      const launchIds = Object.keys(requestedAtEpochMs);
      const records = await Promise.all(launchIds.map((launchId) => launches.get(launchId)));
      expect(records).toEqual(launchIds.map((launchId) => model.get(launchId)));
      expect(await launches.getMany(launchIds)).toEqual({ records: model, unreadable: [] });
    },
    toString: () => `${both.name} ${fc.stringify(drawn)}`,
  }));
}

function requestBoth(record: LaunchRecord): Run {
  return async (model, launches) => {
    const existing = model.get(record.launchId);
    model.set(record.launchId, existing ?? record);

    const requested = await launches.request(record);

    expect(requested).toEqual({ created: existing === undefined, record: existing ?? record });
  };
}

function noteBoth(launchId: string, signal: Signal): Run {
  return async (model, launches) => {
    const record = model.get(launchId);
    if (record !== undefined && isLive(record)) {
      const isSame = record.signal?.code === signal.code && record.signal.container === signal.container;
      const first = isSame ? (record.signal ?? signal) : signal;
      model.set(launchId, { ...record, signal: { ...signal, sinceEpochMs: first.sinceEpochMs } });
    }
    const inEffect = model.get(launchId)?.signal ?? signal;

    expect(await launches.noteSignal(launchId, signal)).toEqual(inEffect);
  };
}

function clearBoth(launchId: string, seenWellAtEpochMs: number): Run {
  return async (model, launches) => {
    const record = model.get(launchId);
    if (record?.status === 'launching' && (record.signal?.sinceEpochMs ?? 0) <= seenWellAtEpochMs) {
      const { signal: _signal, ...kept } = record;
      model.set(launchId, kept);
    }

    await launches.clearSignal(launchId, seenWellAtEpochMs);
  };
}

function noteTimelineBoth(launchId: string, timeline: Timeline = {}): Run {
  return async (model, launches) => {
    const record = model.get(launchId);
    if (record?.status === 'launching') {
      model.set(launchId, { ...record, timeline: { ...record.timeline, ...timeline } });
    }

    const generation = record?.plan?.generation ?? 1;
    for (const other of [generation - 1, generation + 1]) {
      await launches.noteTimeline(launchId, agentNameOf(launchId, other), { tokenMs: 1 });
    }
    await launches.noteTimeline(launchId, agentNameOf(launchId, generation), timeline);
  };
}

function connectBoth(launchId: string, connectedAtEpochMs: number, timeline: Timeline | undefined): Run {
  return async (model, launches) => {
    const record = model.get(launchId);
    if (record?.status === 'launching') {
      model.set(launchId, { ...record, status: 'connected', connectedAtEpochMs, ...present({ timeline }) });
    }

    const generation = record?.plan?.generation ?? 1;
    for (const other of [generation - 1, generation + 1]) {
      expect(await launches.markConnected(agentOf(launchId, other), connectedAtEpochMs, timeline)).toBeUndefined();
    }
    const connected = await launches.markConnected(agentOf(launchId, generation), connectedAtEpochMs, timeline);

    expect(connected).toEqual(isLive(record) ? record?.plan : undefined);
  };
}

function relaunchBoth(launchId: string, timeline: Timeline | undefined): Run {
  return async (model, launches) => {
    const record = model.get(launchId);
    const generation = record?.plan?.generation ?? 1;
    const agentName = agentNameOf(launchId, generation);
    const ended = {
      agentName,
      code: 'PodEvicted',
      message: 'PodEvicted: drained',
      endedAtEpochMs: epochMs,
      ...present({ timeline }),
    };
    const plan = planOf(launchId, { agentName: agentNameOf(launchId, generation + 1), generation: generation + 1 });
    if (record?.status === 'launching' && generation < 9) {
      const { signal: _signal, timeline: known, ...kept } = record;
      const whole = known === undefined && timeline === undefined ? undefined : { ...known, ...timeline };
      const generations = [...(record.generations ?? []), { ...ended, ...present({ timeline: whole }) }];
      model.set(launchId, { ...kept, plan, generations });
    }

    const relaunched = generation < 9 ? await launches.relaunch(plan, ended) : model.get(launchId);
    const repeated = generation < 9 ? await launches.relaunch(plan, ended) : model.get(launchId);

    expect(relaunched).toEqual(model.get(launchId));
    expect(repeated).toEqual(relaunched);
  };
}

function endBoth(launchId: string, ending: Ending, unlessConnected: boolean, further: Timeline | undefined): Run {
  return async (model, launches) => {
    const record = model.get(launchId);
    const endable = unlessConnected ? ['launching'] : ['launching', 'connected'];
    if (record !== undefined && endable.includes(record.status)) {
      const timeline = further === undefined ? record.timeline : { ...record.timeline, ...further };
      const { holdFailedSeconds } = record.plan ?? {};
      const isHeld = record.status === 'launching' && ending.outcome === 'failed' && holdFailedSeconds !== undefined;
      const hold = isHeld ? { untilEpochMs: ending.atEpochMs + holdFailedSeconds * 1000 } : undefined;
      model.set(launchId, { ...record, status: 'cleaning', ending, ...present({ timeline, hold }) });
    } else if (record !== undefined && ending.actor?.kind === 'person' && isHolding(record)) {
      model.set(launchId, { ...record, hold: { ...record.hold, releasedAtEpochMs: ending.atEpochMs } });
    }

    const agentName = agentNameOf(launchId, record?.plan?.generation ?? 1);
    const reached = further && { agentName, timeline: further };
    const ended = await launches.end(launchId, ending, { unlessConnected, ...present({ reached }) });

    expect(ended).toEqual(model.get(launchId));
  };
}

function isHolding(record: LaunchRecord): record is LaunchRecord & { hold: Hold } {
  return record.status === 'cleaning' && record.hold !== undefined && record.hold.releasedAtEpochMs === undefined;
}

function claimBoth(launchId: string, cleanUpAskedAtEpochMs: number, notSinceEpochMs: number): Run {
  return async (model, launches) => {
    const record = model.get(launchId);
    const isOverdue = record !== undefined && isHolding(record) && record.hold.untilEpochMs <= cleanUpAskedAtEpochMs;
    const isFree = record?.status === 'cleaning' && (record.cleanUpAskedAtEpochMs ?? 0) <= notSinceEpochMs;
    if (isOverdue) {
      const hold = { ...record.hold, releasedAtEpochMs: cleanUpAskedAtEpochMs };
      model.set(launchId, { ...record, hold, cleanUpAskedAtEpochMs });
    } else if (isFree) model.set(launchId, { ...record, cleanUpAskedAtEpochMs });

    const isClaimed = await launches.claimCleanUp(launchId, cleanUpAskedAtEpochMs, notSinceEpochMs);

    expect(isClaimed).toBe(isOverdue || isFree);
  };
}

function cleanBoth(launchId: string, cleanedAtEpochMs: number, timeline: Timeline | undefined): Run {
  return async (model, launches) => {
    const record = model.get(launchId);
    if (record?.status === 'cleaning' && record.ending !== undefined) {
      const status = record.ending.outcome;
      model.set(launchId, { ...record, status, cleanedAtEpochMs, ...present({ timeline }) });
    }

    await launches.markCleaned(launchId, cleanedAtEpochMs, timeline);
  };
}

function listBoth(statuses: LaunchStatus[], limit: number): Run {
  return async (model, launches) => {
    const expected = statuses.flatMap((status) =>
      [...model.values()]
        .filter((record) => record.status === status)
        .sort((left, right) => right.requestedAtEpochMs - left.requestedAtEpochMs),
    );

    const pages = await pagesOf(launches, { statuses, limit });

    // Every page but the last one is full. The last page may be empty only if the list is empty.
    const full = Array.from({ length: Math.max(1, Math.ceil(expected.length / limit)) }, (_, index) =>
      expected.slice(index * limit, (index + 1) * limit),
    );
    expect(pages.map((page) => page.launches)).toEqual(full);
  };
}

/** Every page of a list, to its end. */
export async function pagesOf(launches: Launches, query: LaunchQuery): Promise<LaunchPage[]> {
  const pages: LaunchPage[] = [];
  let cursor: string | undefined;
  do {
    const page = await launches.list({ ...query, ...present({ cursor }) });
    if (page === undefined) throw new Error(`the list has no page at ${cursor}`);
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}
