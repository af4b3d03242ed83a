import { endingOf } from '../../../../functions/sweep/ending-of.ts';
import type { ExecutionStatus } from '../../../../ports/executions.ts';
import { epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';

const plan = planOf('job', { maxAgentLifetimeSeconds: 7200, removeExitedAfterSeconds: 300 });
const launching = recordOf('job', { plan });
const connected = recordOf('job', { plan, status: 'connected', connectedAtEpochMs: epochMs + 10_000 });
const { plan: _plan, ...planless } = connected;
const atEpochMs = epochMs + 70_400;

/** An ending by Step Functions, in the words of the execution. */
function executionEnded(words: string) {
  const by = { by: 'Step Functions', actor: { kind: 'aws', name: 'Step Functions' } };
  return {
    outcome: 'failed',
    code: 'ExecutionEnded',
    message: `ExecutionEnded: the execution ended as ${words}`,
    ...by,
  };
}

/** An ending by the sweep, for a reason. */
function bySweep(reason: string, words: string, code = reason) {
  const by = { by: 'the sweep', actor: { kind: 'davit', name: `sweep/${reason}` } };
  return { outcome: 'failed', code, message: `${code}: ${words}`, ...by };
}

const failed: ExecutionStatus = { status: 'FAILED', error: 'PodFailed', cause: 'no' };
const over = 'ExecutionEnded';
const earlier: ExecutionStatus = { status: 'SUCCEEDED', startedAtEpochMs: epochMs - 60_001 };
const aborted: ExecutionStatus = { status: 'ABORTED', startedAtEpochMs: epochMs - 60_000 };
const reused = 'an execution of this name ended before this launch was requested: use a new job id';
const expired = 'the launch was under way for 70 s, longer than all of its deadlines';
const gone = {
  outcome: 'terminated',
  code: 'Terminated',
  message: "the agent's Pod is gone",
  by: 'the agent exited',
  actor: { kind: 'davit', name: 'sweep/AgentExited' },
  isLoss: true,
};
const lived = (seconds: number) => `the agent was connected for 60 s of ${seconds} s`;

type Ended = Parameters<typeof endingOf>;
interface Row {
  reason: Ended[1];
  record: Ended[0];
  execution?: ExecutionStatus;
  ending: { message: string };
}

test.each<Row>([
  { reason: 'ExecutionOver', record: launching, execution: failed, ending: executionEnded('FAILED: PodFailed: no') },
  { reason: 'ExecutionOver', record: launching, ending: executionEnded('unknown') },
  { reason: 'ExecutionOver', record: launching, execution: earlier, ending: bySweep('ExecutionOver', reused, over) },
  { reason: 'ExecutionOver', record: launching, execution: aborted, ending: executionEnded('ABORTED') },
  { reason: 'LaunchExpired', record: launching, ending: bySweep('LaunchExpired', expired) },
  { reason: 'AgentLifetimeExceeded', record: connected, ending: bySweep('AgentLifetimeExceeded', lived(7200)) },
  // 13 days.
  { reason: 'AgentLifetimeExceeded', record: planless, ending: bySweep('AgentLifetimeExceeded', lived(1_123_200)) },
  { reason: 'AgentExited', record: connected, ending: gone },
])('a launch that a sweep ends for $reason says $ending.message', ({ reason, record, execution, ending }) => {
  expect(endingOf(record, reason, { execution }, atEpochMs)).toEqual({ ...ending, atEpochMs });
});
