import type { Written } from '../../../../core/trace/written.ts';
import { tracedExecutions } from '../../../../logic/traces/traced-executions.ts';
import type { Executions } from '../../../../ports/executions.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';

const plan = planOf('tea-1-2-1');

function executionsThat(isStarted: boolean): Executions {
  return {
    start: async () => isStarted,
    stop: async () => undefined,
    status: async () => ({ status: 'RUNNING' }),
    running: async () => new Set(['tea-1-2-1']),
  };
}

function tracing(executions: Executions): { traced: Executions; trace: Written[] } {
  const trace: Written[] = [];
  const source = { by: 'sweep', graceSeconds: 60 };
  return { traced: tracedExecutions(executions, source, (written) => trace.push(written)), trace };
}

test('a start is traced with who asked, and with its grace', async () => {
  const { traced, trace } = tracing(executionsThat(true));

  expect(await traced.start(plan)).toBe(true);

  const fields = { by: 'sweep', graceSeconds: 60 };
  expect(trace).toEqual([{ kind: 'execution', key: 'tea-1-2-1', command: 'start', fields }]);
});

test('what starts nothing is not traced', async () => {
  const { traced, trace } = tracing(executionsThat(false));

  expect(await traced.start(plan)).toBe(false);
  await traced.stop('tea-1-2-1', 'over');
  expect(await traced.status('tea-1-2-1')).toEqual({ status: 'RUNNING' });
  expect(await traced.running()).toEqual(new Set(['tea-1-2-1']));

  expect(trace).toEqual([]);
});
