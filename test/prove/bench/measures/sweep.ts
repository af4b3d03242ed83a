import { davitUser } from '../../on-cluster/davit-identity.ts';
import type { Bench, Measure } from '../bench.ts';
import { atMost } from '../figure.ts';
import { fillCluster, listAll, objectsAPage } from './many-objects.ts';

/** A scheduled sweep would distort the measured one. */
const longestMs = 30_000;

/**
 * The cost of a sweep over many objects. They are not deleted: this is the last measure, and the cluster goes with it.
 */
export const sweep: Measure = {
  take: async (bench) => {
    const { davit, audit, untilUnswept } = bench;
    const made = await fillCluster(bench, bench.size.swept);
    await untilUnswept(longestMs);
    const before = await davit.observe();
    await audit.read(davitUser);
    const startMs = performance.now();
    const report = await davit.sweep({ dryRun: true, graceSeconds: 60 });
    const tookMs = performance.now() - startMs;
    const calls = await audit.read(davitUser);
    const after = await davit.observe();
    const listedMs = await timeOfListing(bench);
    const lists = calls.filter(({ verb }) => verb === 'list').length;
    const pages = Object.values(made).reduce((sum, count) => sum + Math.ceil(count / objectsAPage), 0);
    return [
      {
        name: `time of a sweep over ${report.seen.objects} objects`,
        unit: 'ms',
        contenders: [
          { name: 'davit, local runtime', value: tookMs },
          { name: 'the same pages, listed and not looked at', value: listedMs },
        ],
        note: `everything was looked at: ${report.complete ? 'yes' : 'no'}`,
      },
      {
        name: `list pages of a sweep over ${report.seen.objects} objects`,
        unit: 'pages',
        contenders: [
          { name: 'davit', value: lists },
          { name: `one for each ${objectsAPage} objects of a kind`, value: pages },
        ],
        goal: atMost(lists, pages, 'count'),
        note: `Kubernetes API calls in all: ${calls.length}`,
      },
      {
        name: "the runtime's resident memory",
        unit: 'MiB',
        contenders: [
          { name: 'before the sweep', value: before.residentBytes / 2 ** 20 },
          { name: 'after it', value: after.residentBytes / 2 ** 20 },
        ],
      },
    ];
  },
};

async function timeOfListing({ api }: Bench): Promise<number> {
  const startMs = performance.now();
  await listAll(api);
  return performance.now() - startMs;
}
