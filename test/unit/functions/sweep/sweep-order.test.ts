import type { ExecutionStatus } from '../../../../ports/executions.ts';
import { agentOf, epochMs, recordOf } from '../../../contract/launch-fixtures.ts';
import { FakeExecutions } from '../../../support/fake-executions.ts';
import { makeSweepDeps, runSweep } from '../../../support/make-sweep-deps.ts';

/** Executions that are over by the time of the look, each just after its agent has connected. */
class ConnectingExecutions extends FakeExecutions {
  connect = async (): Promise<void> => {};

  override async status(): Promise<ExecutionStatus> {
    await this.connect();
    return { status: 'SUCCEEDED' };
  }
}

/** @see docs/adr/0008-the-sweep-reads-again-before-it-acts.md */
test('the record is read after the execution: a launch that connects in between is left alone', async () => {
  const executions = new ConnectingExecutions();
  const deps = makeSweepDeps({ executions });
  await deps.launches.request(recordOf('job'));
  executions.connect = async () => void (await deps.launches.markConnected(agentOf('job'), epochMs));
  deps.clock.advance(60_000);

  const { findings, spared } = await runSweep(deps);

  expect({ findings, spared }).toEqual({ findings: [], spared: { ChangedMeanwhile: 1 } });
  expect(await deps.launches.get('job')).toMatchObject({ status: 'connected' });
});
