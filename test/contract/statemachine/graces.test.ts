import * as fc from 'fast-check';
import { PendingError, TerminalError } from '../../../core/errors/errors.ts';
import { pollHostIP } from '../../../functions/poll-host-ip/poll-host-ip.ts';
import { awaitAgent } from '../../../functions/publish-token/await-agent.ts';
import { longestDelaysSeconds } from '../../../scripts/statemachine/read-definition.ts';
import { pauseOf, saidPauseSeconds } from '../../../scripts/statemachine/waits.ts';
import { makeTestDeps, type TestDeps, testAgentName, testLaunchId } from '../../support/make-test-deps.ts';
import { waiting } from '../../support/pod-view.ts';
import { withPod, withToken } from '../../support/run-steps.ts';

// Between two attempts there is more than the pause: the state machine, a cold start, a call.
const overheadMs = 1500;
const graces = (seconds: number) => ({ graces: { imagePullSeconds: seconds, containerSeconds: seconds } });

/** Makes one attempt of a state, for a launch that waits in it. */
const attempts = {
  PollHostIP: async (deps: TestDeps, graceSeconds: number) => {
    const state = await withPod(deps, graces(graceSeconds));
    const pod = { ...state.pod, lookPauseSeconds: Number(saidPauseSeconds('PollHostIP')) };
    return () => pollHostIP(deps, { ...state, pod });
  },
  PublishToken: async (deps: TestDeps, graceSeconds: number) => {
    const state = await withToken(deps, graces(graceSeconds));
    const placement = { ...state.placement, lookPauseSeconds: Number(saidPauseSeconds('PublishToken')) };
    return () => awaitAgent(deps, { ...state, placement });
  },
};

/** Lasting trouble that either a Pod's status or only its Events report. */
const troubles = {
  status: ({ cluster }: TestDeps) => report(cluster, waiting('agent', 'ErrImagePull', 'not found')),
  events: ({ cluster, nowEpochMs }: TestDeps) => {
    report(cluster, waiting('agent', 'ContainerCreating'));
    const lastTimestamp = new Date(nowEpochMs()).toISOString();
    cluster.reports.addEvent(testAgentName, { reason: 'FailedCreatePodSandBox', message: 'no CNI', lastTimestamp });
  },
};

function report(cluster: TestDeps['cluster'], status: ReturnType<typeof waiting>): void {
  cluster.report(testAgentName, { phase: 'Pending', containerStatuses: [status] });
}

/**
 * Repeats a state according to its Retry until it fails.
 *
 * @returns the attempts' times, in milliseconds since the trouble began
 */
async function runUntilFailed(
  name: keyof typeof attempts,
  kind: keyof typeof troubles,
  troubleMs: number,
  graceSeconds: number,
): Promise<{ seenMs: number; failedMs: number }> {
  const deps = makeTestDeps();
  const attempt = await attempts[name](deps, graceSeconds);
  const troubleEpochMs = deps.nowEpochMs() + troubleMs;
  deps.clock.after(troubleMs, () => troubles[kind](deps));
  for (const pauseSeconds of longestDelaysSeconds(pauseOf(name))) {
    const error = await attempt().catch((thrown: unknown) => thrown);
    if (error instanceof TerminalError) {
      const since = (await deps.launches.get(testLaunchId))?.signal?.sinceEpochMs ?? Number.NaN;
      expect(error.code).toMatch(/^(ImagePullFailed|ContainerStartFailed)$/);
      return { seenMs: since - troubleEpochMs, failedMs: deps.nowEpochMs() - troubleEpochMs };
    }
    expect(error).toBeInstanceOf(PendingError);
    deps.clock.advance(pauseSeconds * 1000 + overheadMs);
  }
  throw new Error('no attempts are left');
}

describe.each(['PollHostIP', 'PublishToken'] as const)('lasting trouble ends a launch that waits in %s', (name) => {
  test.each(['status', 'events'] as const)('at most 10 s after its grace period (reported by %s)', async (kind) => {
    const moment = fc.integer({ min: 1, max: 200_000 });
    await fc.assert(
      fc.asyncProperty(moment, fc.integer({ min: 1, max: 90 }), async (troubleMs, graceSeconds) => {
        const { seenMs, failedMs } = await runUntilFailed(name, kind, troubleMs, graceSeconds);

        expect(failedMs - seenMs - graceSeconds * 1000).toBeLessThanOrEqual(10_000);
        expect(failedMs - seenMs - graceSeconds * 1000).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 100 },
    );
  });
});

test.each([
  { name: 'PollHostIP', troubleMs: 500 },
  { name: 'PollHostIP', troubleMs: 18_000 },
  { name: 'PublishToken', troubleMs: 500 },
  { name: 'PublishToken', troubleMs: 2500 },
] as const)(
  'a grace of 3 s that begins $troubleMs ms after the start of $name ends the launch 3 s later',
  async (row) => {
    const { seenMs, failedMs } = await runUntilFailed(row.name, 'status', row.troubleMs, 3);

    expect({ seenMs, failedMs }).toEqual({ seenMs: 0, failedMs: 3000 });
  },
);
