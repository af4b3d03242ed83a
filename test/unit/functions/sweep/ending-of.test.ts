import { endingOf } from '../../../../functions/sweep/ending-of.ts';
import { epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';

const plan = planOf('job', { maxAgentLifetimeSeconds: 7200, removeExitedAfterSeconds: 300 });
const launching = recordOf('job', { plan });
const connected = recordOf('job', { plan, status: 'connected', connectedAtEpochMs: epochMs + 10_000 });
const { plan: _plan, ...planless } = connected;
const atEpochMs = epochMs + 70_400;

test.each([
  {
    reason: 'ExecutionOver' as const,
    record: launching,
    execution: { status: 'FAILED' as const, error: 'PodFailed', cause: 'exit code 1' },
    ending: {
      outcome: 'failed',
      code: 'ExecutionEnded',
      message: 'ExecutionEnded: the execution ended as FAILED: PodFailed: exit code 1',
      by: 'Step Functions',
      actor: { kind: 'aws', name: 'Step Functions' },
    },
  },
  {
    reason: 'ExecutionOver' as const,
    record: launching,
    execution: undefined,
    ending: {
      outcome: 'failed',
      code: 'ExecutionEnded',
      message: 'ExecutionEnded: the execution ended as unknown',
      by: 'Step Functions',
      actor: { kind: 'aws', name: 'Step Functions' },
    },
  },
  {
    reason: 'ExecutionOver' as const,
    record: launching,
    execution: { status: 'SUCCEEDED' as const, startedAtEpochMs: epochMs - 60_001 },
    ending: {
      outcome: 'failed',
      code: 'ExecutionEnded',
      message: 'ExecutionEnded: an execution of this name ended before this launch was requested: use a new job id',
      by: 'the sweep',
      actor: { kind: 'davit', name: 'sweep/ExecutionOver' },
    },
  },
  {
    reason: 'ExecutionOver' as const,
    record: launching,
    execution: { status: 'ABORTED' as const, startedAtEpochMs: epochMs - 60_000 },
    ending: {
      outcome: 'failed',
      code: 'ExecutionEnded',
      message: 'ExecutionEnded: the execution ended as ABORTED',
      by: 'Step Functions',
      actor: { kind: 'aws', name: 'Step Functions' },
    },
  },
  {
    reason: 'LaunchExpired' as const,
    record: launching,
    execution: undefined,
    ending: {
      outcome: 'failed',
      code: 'LaunchExpired',
      message: 'LaunchExpired: the launch was under way for 70 s, longer than all of its deadlines',
      by: 'the sweep',
      actor: { kind: 'davit', name: 'sweep/LaunchExpired' },
    },
  },
  {
    reason: 'AgentLifetimeExceeded' as const,
    record: connected,
    execution: undefined,
    ending: {
      outcome: 'failed',
      code: 'AgentLifetimeExceeded',
      message: 'AgentLifetimeExceeded: the agent was connected for 60 s of 7200 s',
      by: 'the sweep',
      actor: { kind: 'davit', name: 'sweep/AgentLifetimeExceeded' },
    },
  },
  {
    reason: 'AgentLifetimeExceeded' as const,
    record: planless,
    execution: undefined,
    // 13 days.
    ending: {
      outcome: 'failed',
      code: 'AgentLifetimeExceeded',
      message: 'AgentLifetimeExceeded: the agent was connected for 60 s of 1123200 s',
      by: 'the sweep',
      actor: { kind: 'davit', name: 'sweep/AgentLifetimeExceeded' },
    },
  },
  {
    reason: 'AgentExited' as const,
    record: connected,
    execution: undefined,
    ending: {
      outcome: 'terminated',
      code: 'Terminated',
      message: "the agent's Pod is gone",
      by: 'the agent exited',
      actor: { kind: 'davit', name: 'sweep/AgentExited' },
      isLoss: true,
    },
  },
])('a launch that a sweep ends for $reason says $ending.message', ({ reason, record, execution, ending }) => {
  expect(endingOf(record, reason, { execution }, atEpochMs)).toEqual({ ...ending, atEpochMs });
});
