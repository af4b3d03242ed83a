import type { ClusterReport } from '../../core/cluster/cluster-state.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import { epochMs as now } from './launch-fixtures.ts';

const cluster = 'eu-1';
const works = (endedAtEpochMs: number): ClusterReport & { kind: 'works' } => ({
  cluster,
  kind: 'works',
  endedAtEpochMs,
  version: 'v1.34.2',
});
const fails = (beganAtEpochMs: number): ClusterReport & { kind: 'failed' } => ({
  cluster,
  kind: 'failed',
  reason: 'Unreachable',
  error: 'connect ECONNREFUSED',
  beganAtEpochMs,
  endedAtEpochMs: beganAtEpochMs + 10,
});

/** The contract of every clusters table. @param makeStates returns an empty table each time */
export function describeClusterStates(name: string, makeStates: () => Promise<ClusterStates>): void {
  describe(`cluster states (${name})`, () => {
    let states: ClusterStates;
    beforeEach(async () => {
      states = await makeStates();
    });

    test('a cluster without any report has no record', async () => {
      expect(await states.get(cluster)).toBeUndefined();
    });

    test('a report is returned as it is stored, and each cluster has a record of its own', async () => {
      const connected = await states.report(works(now));
      const other = await states.report({ ...fails(now), cluster: 'us-1' });

      expect(connected).toMatchObject({ cluster, connected: true, sinceEpochMs: now, version: 'v1.34.2' });
      expect(await states.get(cluster)).toEqual(connected);
      expect(await states.get('us-1')).toEqual(other);
    });

    test('failures in a row disconnect, the record keeps the changes, and a proof connects again', async () => {
      await states.report(works(now));
      for (const ms of [1000, 3000, 6000]) await states.report(fails(now + ms));
      const away = await states.get(cluster);
      const back = await states.report(works(now + 9000));

      expect(away).toMatchObject({ connected: false, sinceEpochMs: now + 1000, failures: { count: 3 } });
      expect(back.history).toEqual([
        { connected: true, atEpochMs: now + 9000 },
        { connected: false, reason: 'Unreachable', error: 'connect ECONNREFUSED', atEpochMs: now + 1000 },
        { connected: true, atEpochMs: now },
      ]);
    });

    test('a late result changes nothing, and the record in effect is returned', async () => {
      const connected = await states.report(works(now + 5000));
      const late = await states.report(fails(now));

      expect(late).toEqual(connected);
      expect(await states.get(cluster)).toEqual(connected);
    });

    test('every record is listed', async () => {
      expect(await states.list()).toEqual([]);

      const one = await states.report(works(now));
      const other = await states.report({ ...works(now), cluster: 'us-1' });

      const listed = await states.list();
      expect(listed.toSorted((left, right) => left.cluster.localeCompare(right.cluster))).toEqual([one, other]);
    });

    test('launches that may have left objects are kept, each once, until the cluster works again', async () => {
      const leaves = (launchId: string): ClusterReport => ({
        cluster,
        kind: 'left',
        launchId,
        namespace: 'agents',
        atEpochMs: now,
      });

      await Promise.all(['one', 'two', 'one'].map((launchId) => states.report(leaves(launchId))));
      const kept = await states.get(cluster);
      const back = await states.report({
        ...works(now + 1000),
        namespaces: [{ namespace: 'agents', kind: 'works', endedAtEpochMs: now + 1000 }],
      });

      expect(kept?.left?.map(({ launchId }) => launchId).toSorted()).toEqual(['one', 'two']);
      expect(back).toMatchObject({ connected: true, namespaces: [{ namespace: 'agents', connected: true }] });
      expect(back).not.toHaveProperty('left');
    });

    test('reports that arrive at the same time are each counted', async () => {
      await states.report(works(now));

      const endedAfterMs = [1010, 1011, 1012];
      await Promise.all(endedAfterMs.map((ms) => states.report({ ...fails(now + 1000), endedAtEpochMs: now + ms })));

      expect(await states.get(cluster)).toMatchObject({ connected: true, failures: { count: 3 } });
    });

    test('one report that is written twice at the same time counts once', async () => {
      await states.report(works(now));

      await Promise.all([1, 2].map(() => states.report(fails(now + 1000))));

      expect(await states.get(cluster)).toMatchObject({ connected: true, failures: { count: 1 } });
    });
  });
}
