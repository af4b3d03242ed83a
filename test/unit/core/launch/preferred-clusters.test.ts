import * as fc from 'fast-check';
import { apiLaunchId } from '../../../../core/launch/names.ts';
import { preferredClusters } from '../../../../core/launch/preferred-clusters.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const clusters = ['one', 'two', 'three'];

function firstOf(profile: Parameters<typeof preferredClusters>[0], launches: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let job = 0; job < launches; job += 1) {
    const [first = ''] = preferredClusters(profile, `github-1-${job}-1`);
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return counts;
}

describe("a launch's preferred clusters", () => {
  test('are those of the profile, in an order that stays the same', () => {
    const profile = makeProfile({ clusters });
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (jobId) => {
        const launchId = apiLaunchId(jobId);

        const preferred = preferredClusters(profile, launchId);

        expect(preferred.toSorted()).toEqual(clusters.toSorted());
        expect(preferredClusters(profile, launchId)).toEqual(preferred);
      }),
    );
  });

  test('keep the written order, if they are ordered', () => {
    expect(preferredClusters(makeProfile({ clusters, strategy: 'ordered' }), 'github-1-2-1')).toEqual(clusters);
  });

  test('begin with each cluster about equally often', () => {
    const counts = firstOf(makeProfile({ clusters }), 3000);

    for (const cluster of clusters) expect(Math.abs((counts.get(cluster) ?? 0) - 1000)).toBeLessThan(100);
  });

  test('begin with a cluster as often as its weight says, where the others have 1', () => {
    const counts = firstOf(makeProfile({ clusters, clusterWeights: { two: 4 } }), 3000);

    expect(Math.abs((counts.get('two') ?? 0) - 2000)).toBeLessThan(100);
    expect(Math.abs((counts.get('one') ?? 0) - 500)).toBeLessThan(100);
  });

  test('keep their order when another cluster is added', () => {
    fc.assert(
      fc.property(fc.nat(), (job) => {
        const launchId = `github-1-${job}-1`;

        const more = preferredClusters(makeProfile({ clusters: [...clusters, 'four'] }), launchId);

        expect(more.filter((cluster) => cluster !== 'four')).toEqual(
          preferredClusters(makeProfile({ clusters }), launchId),
        );
      }),
    );
  });
});
