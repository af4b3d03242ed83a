import type { Written } from '../../../../core/trace/written.ts';
import { tracedCiSystem } from '../../../../logic/traces/traced-ci-system.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import { FakeCi } from '../../../support/fake-ci.ts';

const scope = { organization: 'acme' };

async function limited(isStopped: boolean): Promise<Written[]> {
  const trace: Written[] = [];
  const ci = Object.assign(new FakeCi(), { limitToOneJob: async () => isStopped });
  const source = { ciSystem: 'gitlab', by: 'poll-ci' };
  const traced = tracedCiSystem(ci, source, (written) => trace.push(written));
  expect(await (traced as CiSystem).limitToOneJob?.(scope, 7)).toBe(isStopped);
  return trace;
}

test('a runner that is stopped because it has its one job is traced as stopped', async () => {
  const runner = { kind: 'runner', key: 'gitlab/7', fields: { by: 'poll-ci', settleMs: 15_000 } };
  expect(await limited(true)).toEqual([
    { ...runner, command: 'askToStop' },
    { ...runner, command: 'stopAssigning' },
  ]);
});

test('a runner that is not stopped, because its job may come back to it, is not traced as stopped', async () => {
  expect(await limited(false)).toMatchObject([{ command: 'askToStop' }]);
});
