import { describeExecutions } from './executions.contract.ts';
import { type LocalExecutions, startLocalExecutions } from './local-executions.ts';
import { startOwnExecutions } from './own-executions.ts';

let local: LocalExecutions | undefined;
afterEach(async () => {
  await local?.stop();
  local = undefined;
});

describeExecutions('Step Functions', async () => (local = await startLocalExecutions()));

describeExecutions("davit's own process", async () => startOwnExecutions());
