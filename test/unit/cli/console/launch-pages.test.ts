import * as fc from 'fast-check';
import type { Launch, LaunchList } from '../../../../cli/console/page/api.ts';
import { createLaunchPages, type PageQuery } from '../../../../cli/console/page/launch-pages.ts';
import { LaunchStatus } from '../../../../core/launch/launch-record.ts';
import { epochMs, recordOf } from '../../../contract/launch-fixtures.ts';
import { shownLaunch } from '../../../support/shown-launch.ts';

function launchAt(seconds: number, status: LaunchStatus, name = `${status}-${seconds}`): Launch {
  return shownLaunch(recordOf(name, { status, requestedAtEpochMs: epochMs + seconds * 1000 }), epochMs);
}

/** Lists as davit does: newest first within each status, page by page. */
function listFrom(launches: readonly Launch[], pageSize: number) {
  return async ({ status, cursor, since = '', until = '~' }: PageQuery): Promise<LaunchList> => {
    const found = status.flatMap((each) =>
      launches
        .filter((launch) => launch.status === each && launch.requestedAt >= since && launch.requestedAt <= until)
        .toSorted((one, other) => (one.requestedAt < other.requestedAt ? 1 : -1)),
    );
    const from = cursor === undefined ? 0 : Number(cursor);
    const rest = from + pageSize < found.length ? { cursor: `${from + pageSize}` } : {};
    return { launches: found.slice(from, from + pageSize), ...rest };
  };
}

const statuses = LaunchStatus.options;
const ids = (launches: readonly Launch[]) => launches.map(({ launchId }) => launchId);

describe('launches of several statuses, newest first', () => {
  const anyLaunches = fc.uniqueArray(fc.record({ at: fc.nat(500), status: fc.constantFrom(...statuses) }), {
    selector: ({ at }) => at,
  });

  test('each page shows the newest launches of all statuses, without a gap, and the pages together show all', async () => {
    await fc.assert(
      fc.asyncProperty(anyLaunches, fc.integer({ min: 1, max: 7 }), async (each, pageSize) => {
        const all = each.map(({ at, status }) => launchAt(at, status));
        const newestFirst = ids(all.toSorted((one, other) => (one.requestedAt < other.requestedAt ? 1 : -1)));
        const pages = createLaunchPages(statuses, listFrom(all, pageSize));

        for (let reads = 0; !pages.isComplete(); reads += 1) {
          expect(reads).toBeLessThanOrEqual(all.length + 1);
          await pages.loadOlder();
          expect(ids(pages.launches())).toEqual(newestFirst.slice(0, pages.launches().length));
        }

        expect(ids(pages.launches())).toEqual(newestFirst);
      }),
    );
  });

  test('pages without a match of the filter are skipped', async () => {
    const empty: LaunchList[] = [
      { launches: [], cursor: '1' },
      { launches: [], cursor: '2' },
    ];
    const pages = createLaunchPages(['failed'], async () => empty.shift() ?? { launches: [launchAt(1, 'failed')] });

    await pages.loadOlder();

    expect(ids(pages.launches())).toEqual(['failed-1']);
    expect(pages.isComplete()).toBe(true);
  });

  test('a list that is asked for while its pages are read has them all afterwards', async () => {
    const late = Promise.withResolvers<LaunchList>();
    const pages = createLaunchPages(['launching', 'failed'], ({ status: [status] }) =>
      status === 'failed' ? late.promise : Promise.resolve({ launches: [launchAt(1, 'launching')] }),
    );

    const loaded = pages.loadOlder();
    await new Promise(setImmediate);
    const meanwhile = pages.launches();
    late.resolve({ launches: [] });
    await loaded;

    expect(meanwhile).toEqual([]);
    expect(ids(pages.launches())).toEqual(['launching-1']);
  });

  test('two requests for older launches become one', async () => {
    let reads = 0;
    const pages = createLaunchPages(['failed'], async () => {
      reads += 1;
      return { launches: [launchAt(1, 'failed')] };
    });

    await Promise.all([pages.loadOlder(), pages.loadOlder()]);

    expect(reads).toBe(1);
  });
});

describe('the visible part is read again', () => {
  async function shown(all: Launch[], pageSize = 100) {
    const pages = createLaunchPages(statuses, (query) => listFrom(all, pageSize)(query));
    while (!pages.isComplete()) await pages.loadOlder();
    return pages;
  }

  test.each<[what: string, change: (all: Launch[]) => void, shown: string[]]>([
    [
      'a changed launch is shown as it is now, in its place',
      (all) => void (all[0] = launchAt(1, 'failed', 'launching-1')),
      ['launching-2 launching', 'launching-1 failed'],
    ],
    [
      'new launches appear at the top',
      (all) => void all.push(launchAt(3, 'launching')),
      ['launching-3 launching', 'launching-2 launching', 'launching-1 launching'],
    ],
    [
      'a launch that is missing once stays, because the index may lag',
      (all) => void all.pop(),
      ['launching-2 launching', 'launching-1 launching'],
    ],
  ])('%s', async (_what, change, expected) => {
    const all = [launchAt(1, 'launching'), launchAt(2, 'launching')];
    const pages = await shown(all);
    change(all);

    await pages.refresh({ since: launchAt(1, 'launching').requestedAt });

    expect(pages.launches().map(({ launchId, status }) => `${launchId} ${status}`)).toEqual(expected);
  });

  test('a launch that is missing twice goes', async () => {
    const all = [launchAt(1, 'launching'), launchAt(2, 'launching')];
    const pages = await shown(all);
    all.pop();

    await pages.refresh({});
    await pages.refresh({});

    expect(ids(pages.launches())).toEqual(['launching-1']);
  });

  test('launches out of sight are not requested', async () => {
    const all = [launchAt(1, 'launching'), launchAt(2, 'launching'), launchAt(3, 'launching')];
    const pages = await shown(all);
    all.splice(0, 3);
    const span = { since: launchAt(2, 'launching').requestedAt, until: launchAt(2, 'launching').requestedAt };

    await pages.refresh(span);
    await pages.refresh(span);

    expect(ids(pages.launches())).toEqual(['launching-3', 'launching-1']);
  });

  test('more new launches than a few pages hold leave no gap', async () => {
    const all = [launchAt(0, 'launching')];
    const pages = await shown(all, 2);
    for (let at = 1; at <= 30; at += 1) all.push(launchAt(at, 'launching'));

    await pages.refresh({ since: launchAt(0, 'launching').requestedAt });

    expect(ids(pages.launches())).toEqual(['launching-30', 'launching-29']);
    expect(pages.isComplete()).toBe(false);
  });
});
