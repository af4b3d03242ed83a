import * as fc from 'fast-check';
import { AdmissionOrder, type Candidate, inOrder } from '../../../../core/limits/admission-order.ts';

const limit = { key: 'profile/linux', of: 'profile linux', maxAgents: 12 };

function jobsOf(repository: string, count: number, fromEpochMs: number, given: Partial<Candidate> = {}): Candidate[] {
  return Array.from({ length: count }, (_, index) => ({
    jobKey: `${repository}/${index}`,
    repository,
    priority: 0,
    queuedAtEpochMs: fromEpochMs + index,
    limits: [limit],
    ...given,
  }));
}

const held = (...repositories: string[]) => new Map([[limit.key, repositories]]);
const repositoriesOf = (jobs: readonly Candidate[]) => jobs.map(({ repository }) => repository);

describe('the order of admission', () => {
  test('within one repository, jobs get slots in the order of their arrival', () => {
    const jobs = jobsOf('a', 5, 0);

    expect(inOrder(jobs.toReversed(), held())).toEqual(jobs);
  });

  test('within one repository, the oldest job gets a slot first, whatever its key', () => {
    const [late, early] = [jobsOf('a', 1, 9, { jobKey: 'a/1' }), jobsOf('a', 1, 0, { jobKey: 'a/2' })];

    expect(inOrder([...late, ...early], held())).toEqual([...early, ...late]);
  });

  test('jobs without room have their place in the list, too', () => {
    const jobs = jobsOf('a', 2, 0);

    expect(inOrder(jobs, held(...Array.from({ length: 12 }, () => 'b')))).toEqual(jobs);
  });

  test('within one repository, jobs of one moment get slots in the order of their keys', () => {
    const jobs = jobsOf('a', 3, 0, { queuedAtEpochMs: 7 });

    expect(inOrder(jobs, held())).toEqual(jobs);
    expect(inOrder(jobs.toReversed(), held())).toEqual(jobs);
  });

  test('three jobs of one tenant do not wait behind 300 of another', () => {
    const jobs = [...jobsOf('many', 300, 0), ...jobsOf('few', 3, 1000)];

    const order = repositoriesOf(inOrder(jobs, held(...Array.from({ length: 11 }, () => 'many'))));

    expect(order.slice(0, 4)).toEqual(['few', 'few', 'few', 'many']);
  });

  test('between two tenants without slots, the slots alternate', () => {
    const order = repositoriesOf(inOrder([...jobsOf('a', 3, 0), ...jobsOf('b', 3, 100)], held()));

    expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  test('a higher priority comes first, however long the others have waited', () => {
    const urgent = jobsOf('many', 1, 5000, { priority: 1 });
    const jobs = [...jobsOf('few', 2, 0), ...urgent];

    expect(inOrder(jobs, held('many', 'many'))[0]).toEqual(urgent[0]);
  });

  test('a job without room does not hold up a later one of its repository with other limits', () => {
    const small = { key: 'profile/small', of: 'profile small', maxAgents: 1 };
    const [blocked] = jobsOf('a', 1, 0, { limits: [small] });
    const [later] = jobsOf('a', 1, 1, { limits: [limit] });
    if (blocked === undefined || later === undefined) throw new Error('there are two');

    expect(new AdmissionOrder([blocked, later], new Map([[small.key, ['b']]])).next()).toBe(later);
  });

  test('a priority counts between repositories whose names differ only in a digit at the end', () => {
    const [urgent, plain] = [jobsOf('a/b', 1, 5, { priority: 10 }), jobsOf('a/b1', 1, 0)];

    expect(repositoriesOf(inOrder([...plain, ...urgent], held()))).toEqual(['a/b', 'a/b1']);
  });

  test('a repository counts with the limit of which it holds most', () => {
    const own = (repository: string) => ({ key: `repository/${repository}`, of: repository, maxAgents: 5 });
    const jobs = ['a', 'b'].flatMap((name) => jobsOf(name, 1, 0, { limits: [own(name), limit] }));
    const holders = new Map([
      ['repository/a', ['a', 'a']],
      ['repository/b', ['b']],
      [limit.key, ['a', 'b']],
    ]);

    expect(repositoriesOf(inOrder(jobs, holders))).toEqual(['b', 'a']);
  });

  test('a job that leaves the order without a slot holds none', () => {
    const jobs = jobsOf('a', 2, 0);
    const order = new AdmissionOrder(jobs, held('b'));
    const [first] = jobs;
    if (first === undefined) throw new Error('there are two');

    order.settle(first, false);

    expect(order.heldOf(limit.key)).toBe(1);
    expect(order.heldOf('profile/other')).toBe(0);
    expect(order.next()).toBe(jobs[1]);
  });

  test('a job without room is skipped, and the next one with room follows', () => {
    const small = { key: 'repository/a', of: 'a', maxAgents: 1 };
    const [blocked] = jobsOf('a', 1, 0, { limits: [small, limit] });
    const [other] = jobsOf('b', 1, 1, { limits: [limit] });
    if (blocked === undefined || other === undefined) throw new Error('there are two');
    const order = new AdmissionOrder([blocked, other], new Map([[small.key, ['a']]]));

    const first = order.next();
    order.see(small.key, []);

    expect(first).toBe(other);
    expect(order.next()).toBe(blocked);
  });

  test('every job comes once, never over the limit, and no tenant is two slots ahead of one that waits', () => {
    const tenant = fc.record({ count: fc.nat({ max: 12 }), from: fc.nat({ max: 20 }), holds: fc.nat({ max: 4 }) });
    fc.assert(
      fc.property(
        fc.array(tenant, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 20 }),
        (tenants, most) => {
          const capped = { ...limit, maxAgents: most };
          const jobs = tenants.flatMap(({ count, from }, index) =>
            jobsOf(`${index}`, count, from, { limits: [capped] }),
          );
          const before = tenants.flatMap(({ holds }, index) => Array.from({ length: holds }, () => `${index}`));
          const order = new AdmissionOrder(jobs, new Map([[limit.key, before]]));
          const counts = new Map(tenants.map(({ holds }, index) => [`${index}`, holds]));
          const left = new Map(tenants.map(({ count }, index) => [`${index}`, count]));
          for (let job = order.next(); job !== undefined; job = order.next()) {
            const mine = counts.get(job.repository) ?? 0;
            for (const [other, waiting] of left)
              if (waiting > 0) expect(mine).toBeLessThanOrEqual(counts.get(other) ?? 0);
            order.settle(job, true);
            counts.set(job.repository, mine + 1);
            left.set(job.repository, (left.get(job.repository) ?? 0) - 1);
          }
          const admitted = [...counts.values()].reduce((sum, count) => sum + count, 0) - before.length;
          expect(admitted).toBe(Math.max(0, Math.min(jobs.length, most - before.length)));
          expect(new Set(inOrder(jobs, new Map())).size).toBe(jobs.length);
        },
      ),
    );
  });
});
