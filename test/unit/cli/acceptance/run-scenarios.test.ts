import { runScenarios } from '../../../../cli/acceptance/run-scenarios.ts';
import type { ScenarioResult } from '../../../../cli/acceptance/scenario.ts';
import { allScenarios } from '../../../../cli/acceptance/scenarios/all-scenarios.ts';
import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { type FakeAcceptanceOptions, fakeAcceptance } from '../../../support/fake-acceptance.ts';

/** Runs scenarios on a fake CI system. @param names @default all */
async function run(options: FakeAcceptanceOptions = {}, ...names: string[]) {
  const fake = fakeAcceptance(options);
  const scenarios = allScenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  const results: ScenarioResult[] = [];
  let error: unknown;
  try {
    for await (const result of runScenarios(fake.acceptance, scenarios)) results.push(result);
  } catch (thrown) {
    error = thrown;
  }
  return { ...fake, results, error };
}

const verdictsOf = (results: readonly ScenarioResult[]) =>
  Object.fromEntries(results.map(({ name, verdict }) => [name, verdict]));
const sound = {
  single: 'held',
  matrix: 'held',
  burst: 'held',
  'cancel-queued': 'held',
  'cancel-running': 'held',
  rerun: 'held',
  'pod-deleted': 'not-run',
  'lost-webhook': 'not-run',
  'nothing-left': 'held',
};

describe('a sound davit', () => {
  test('holds in every scenario, on a system whose API cancels', async () => {
    const { results, calls, error } = await run();

    expect(error).toBeUndefined();
    expect(verdictsOf(results)).toEqual(sound);
    expect(calls.filter((call) => /cancel|^rerun|branch/.test(call))).toEqual([
      'create branch',
      'start cancel-queued',
      'cancel cancel-queued',
      'start cancel-running',
      'cancel cancel-running',
      'rerun',
      'delete branch',
    ]);
  });

  test('holds where only a later run cancels, and that run is judged, too', async () => {
    const { results, calls } = await run({ canCancel: false });

    expect(verdictsOf(results)).toEqual(sound);
    expect(calls).toContain('start next-cancel-running');
    expect(results.find(({ name }) => name === 'cancel-running')).toMatchObject({ jobs: 2, ran: 1, cancelled: 1 });
  });

  test('begins each scenario without agents, where an agent may get another job', async () => {
    const { said } = await run({ agentsOutliveJobs: true }, 'single', 'matrix');

    expect(said.filter((text) => text.endsWith('waiting until no agent is left'))).toEqual([
      'single: waiting until no agent is left',
      'matrix: waiting until no agent is left',
    ]);
  });

  test("is measured by the CI system's own times", async () => {
    const { results } = await run({}, 'burst');

    expect(results[0]).toMatchObject({ jobs: 20, ran: 20, cancelled: 0, waitsMs: Array(20).fill(2000) });
  });

  test('is asked again when the CI system does not answer', async () => {
    let calls = 0;
    const onCall = (call: string) => {
      if (call !== 'list attempts' || calls++ > 2) return;
      throw new TransientError('CiUnavailable', 'GET https://ci.example.com: 502');
    };

    expect(verdictsOf((await run({ onCall }, 'single')).results)).toEqual({ single: 'held', 'nothing-left': 'held' });
  });
});

describe('what does not hold is found:', () => {
  const soon = { timeoutMs: 300 };

  test('a job that is for ever queued: it is cancelled, and later scenarios are not run', async () => {
    const lie: FakeAcceptanceOptions['lie'] = ({ startedAtEpochMs: _start, runnerId: _runner, ...attempt }) =>
      attempt.conclusion === 'success' || attempt.status === 'in_progress'
        ? { batch: attempt.batch, runId: attempt.runId, jobId: attempt.jobId, attempt: 1, status: 'queued' }
        : attempt;

    const { results, calls } = await run({ ...soon, lie }, 'single', 'matrix');

    expect(verdictsOf(results)).toMatchObject({ single: 'not-held', matrix: 'not-run' });
    expect(results[0]?.why[0]).toMatch(/a job is run, is cancelled, or davit says why not; it waits$/);
    expect(calls).toEqual(['create branch', 'start single', 'cancel single', 'delete branch']);
  });

  test.each<[what: string, options: FakeAcceptanceOptions, scenario: string, why: RegExp]>([
    [
      'a job that the CI system starts twice',
      { lie: (attempt, reading) => (reading > 2 ? { ...attempt, startedAtEpochMs: 1_800_000_000_000 } : attempt) },
      'single',
      /^by the CI system, not so once: a job is run once; it started 2 times$/m,
    ],
    [
      'a job that two agents of davit run',
      { changeLaunches: (launches) => launches.flatMap((one) => [one, { ...one, launchId: `${one.launchId}-x1` }]) },
      'single',
      /^by davit, not so once: a job is run once; it started 2 times$/,
    ],
    [
      "a job that no agent of davit's ran",
      { changeLaunches: () => [] },
      'single',
      /^by davit, not so once: only a job that was run has a result; it ended as success$/,
    ],
    [
      'a runner that runs two jobs',
      { lie: (attempt) => (attempt.runnerId === undefined ? attempt : { ...attempt, runnerId: 5 }) },
      'matrix',
      /^by the CI system, not so once: a runner runs one job$/,
    ],
    [
      'a job that fails',
      { lie: (attempt) => (attempt.conclusion === undefined ? attempt : { ...attempt, conclusion: 'failure' }) },
      'single',
      /^[^\n]*it ended as failure$/m,
    ],
  ])('%s', async (_what, options, scenario, why) => {
    const { results } = await run({ ...soon, ...options }, scenario);

    expect(results[0]).toMatchObject({ name: scenario, verdict: 'not-held' });
    expect(results[0]?.why.join('\n')).toMatch(why);
  });

  test.each<[what: string, options: FakeAcceptanceOptions, why: string]>([
    [
      'a runner that is left, among those of other davits',
      { runnerNames: () => ['davit-a1b2-secret-ci-7-2-1', 'davit-a1b2-secret-ci-9-2-1'] },
      '1 runner is left',
    ],
    [
      'a launch that goes on',
      { changeLaunches: (launches) => launches.map((launch) => ({ ...launch, status: 'cleaning' })) },
      '1 launch goes on',
    ],
  ])('%s', async (_what, options, why) => {
    const { results } = await run({ ...soon, ...options }, 'single');

    expect(results.at(-1)).toMatchObject({ name: 'nothing-left', verdict: 'not-held', why: [why] });
  });
});

/** A CI system that fails at a call. */
const failingAt = (name: string, error: Error): FakeAcceptanceOptions => ({
  onCall: (call) => {
    if (call === name) throw error;
  },
});

describe('the branch is deleted', () => {
  test('after a call that the CI system refuses: the report has only its code', async () => {
    const refusal = new TerminalError('CiRefused', 'POST https://ci.example.com/acme: 403');

    const { results, calls, said } = await run(failingAt('rerun', refusal), 'rerun');

    expect(results[0]).toMatchObject({ verdict: 'not-held', why: ['an error ended it: CiRefused'] });
    expect(said.join('\n')).toContain('ci.example.com/acme: 403');
    expect(calls.at(-1)).toBe('delete branch');
  });

  test.each([true, false])('after Ctrl-C, when the running job is cancelled (by the API: %s)', async (canCancel) => {
    const interrupted = new AbortController();
    const lie: FakeAcceptanceOptions['lie'] = (attempt) => {
      if (attempt.status === 'in_progress') interrupted.abort();
      return attempt;
    };

    const { calls, error, left } = await run({ signal: interrupted.signal, canCancel, lie }, 'single', 'matrix');

    expect(error).toBe(interrupted.signal.reason);
    const cancel = canCancel ? 'cancel single' : 'start next-single';
    expect(calls).toEqual(['create branch', 'start single', cancel, 'delete branch']);
    expect(left).toEqual([]);
  });

  test('after a commit whose answer is lost: its run is cancelled, too', async () => {
    let isLost = false;
    const onCall = (call: string) => {
      if (call !== 'answer of start single' || isLost) return;
      isLost = true;
      throw new TransientError('CiUnavailable', 'no answer');
    };

    const { results, calls } = await run({ onCall }, 'single');

    expect(results[0]).toMatchObject({ verdict: 'not-held', why: ['an error ended it: CiUnavailable'] });
    expect(calls).toEqual(['create branch', 'start single', 'cancel single', 'delete branch']);
  });

  test('also after a defect of davit', async () => {
    const defect = new TypeError('a defect');

    const { calls, error } = await run(failingAt('start single', defect), 'single');

    expect(error).toBe(defect);
    expect(calls.at(-1)).toBe('delete branch');
  });

  test('unless it was never made', async () => {
    const refusal = new TerminalError('CiRefused', '403');

    expect(await run(failingAt('create branch', refusal), 'single')).toMatchObject({
      calls: [],
      error: refusal,
      left: [],
    });
  });

  test('or else a person is told', async () => {
    const { left } = await run(failingAt('delete branch', new TerminalError('CiRefused', 'DELETE: 403')), 'single');

    expect(left).toEqual([expect.stringMatching(/^the branch davit-acceptance-1234 stays: delete it: .*403/)]);
  });
});
