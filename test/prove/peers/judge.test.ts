import { countJobs, judgeJobs, type Said, type SeenPod, wavesOf } from './judge.ts';

const requested = [{ job: 'a', atEpochMs: 1000 }];
const pods: SeenPod[] = [
  { uid: 'p', name: 'pod', seenEpochMs: 1100 },
  { uid: 'q', name: 'pod', seenEpochMs: 5000 },
];
const started: Said = { event: 'started', uid: 'p', atEpochMs: 1400 };
const begins: Said = { event: 'begins', uid: 'p', job: 'a', atEpochMs: 2000 };
const ends: Said = { event: 'ends', uid: 'p', job: 'a', atEpochMs: 3000 };
const took = { requestToPod: 100, podToRunning: 300, runningToConnected: 600, requestToConnected: 1000 };

describe('a job', () => {
  test('is completed when an agent said its end', () => {
    expect(judgeJobs(requested, [started, begins, ends], pods)).toEqual([
      { job: 'a', verdict: 'completed', begun: 1, ended: 1, took },
    ]);
  });

  test('is lost when an agent began it, and none said its end', () => {
    expect(judgeJobs(requested, [started, begins], pods)).toMatchObject([{ verdict: 'lost', begun: 1, ended: 0 }]);
  });

  test('is stuck when no agent began it, whatever containers run', () => {
    expect(judgeJobs(requested, [started], pods)).toEqual([{ job: 'a', verdict: 'stuck', begun: 0, ended: 0 }]);
  });

  test('counts two agents that ran it, and not one that spoke twice', () => {
    const again: Said[] = [begins, ends].map((said) => ({ ...said, uid: 'q', atEpochMs: said.atEpochMs + 5000 }));

    expect(judgeJobs(requested, [started, begins, begins, ends, ends], pods)).toMatchObject([{ begun: 1, ended: 1 }]);
    expect(judgeJobs(requested, [started, begins, ends, ...again], pods)).toMatchObject([{ begun: 2, ended: 2 }]);
  });

  test('takes as long as its first agent, in whatever order the words are', () => {
    const later: Said[] = [
      { event: 'started', uid: 'q', atEpochMs: 5500 },
      { event: 'begins', uid: 'q', job: 'a', atEpochMs: 6000 },
    ];

    expect(judgeJobs(requested, [...later, begins, started], pods)).toMatchObject([{ took }]);
  });

  test('has its Pod at the latest when the Pod speaks: a watch may see it later', () => {
    const late = [{ uid: 'p', name: 'pod', seenEpochMs: 26_000 }];

    expect(judgeJobs(requested, [started, begins], late)).toMatchObject([
      { took: { requestToPod: 400, podToRunning: 0, runningToConnected: 600, requestToConnected: 1000 } },
    ]);
  });
});

test('counts verdicts, jobs that ran twice, and quantiles of the jobs that began', () => {
  const job = { verdict: 'completed', begun: 1, ended: 1, took } as const;
  const slow = { ...took, requestToConnected: 9000 };
  const jobs = [
    { ...job, job: 'a' },
    { ...job, job: 'b', begun: 2, ended: 2 },
    { ...job, job: 'c', verdict: 'lost', begun: 2, ended: 0, took: slow },
    { job: 'd', verdict: 'stuck', begun: 0, ended: 0 },
  ] as const;

  expect(countJobs(jobs)).toMatchObject({
    jobs: 4,
    completed: 2,
    lost: 1,
    stuck: 1,
    runTwice: 1,
    begunAgain: 2,
    took: { requestToPod: { p50: 100, p99: 100 }, requestToConnected: { p50: 1000, p99: 9000 } },
  });
});

test('has no quantiles when no job began', () => {
  expect(countJobs([{ job: 'd', verdict: 'stuck', begun: 0, ended: 0 }])).not.toHaveProperty('took');
});

test.each([
  [84, 6, Array.from({ length: 14 }, () => 6)],
  [10, 6, [5, 5]],
  [7, 6, [3, 4]],
  [3, 6, [3]],
])('splits %i jobs, %i at once, into equal waves', (jobs, atOnce, waves) => {
  expect(wavesOf(jobs, atOnce)).toEqual(waves);
});
