import { readJenkinsHistory } from '../../../../verify/jobs/jenkins-history.ts';
import { verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';

interface Difference {
  result?: string | null;
  building?: boolean;
  builtOn?: string;
  timestamp?: number;
  duration?: number;
}

/** Jenkins' answer with one build of each job. */
function answerOf(...builds: Difference[]): string {
  const usual = { number: 7, building: false, result: 'SUCCESS', timestamp: 1000, duration: 500 };
  const jobs = builds.map((build, index) => ({
    _class: 'hudson.model.FreeStyleProject',
    name: `app-${index}`,
    builds: [{ ...usual, builtOn: `davit-${index}`, ...build }],
  }));
  return JSON.stringify({ _class: 'hudson.model.Hudson', jobs });
}

const verdictOf = (...builds: Difference[]) => verifyJobs(readJenkinsHistory(answerOf(...builds), 'builds.json'));

test('a build is a job that starts on its node and ends, in the order of time', () => {
  const events = readJenkinsHistory(answerOf({ timestamp: 2000, duration: 0 }, {}), 'builds.json');

  expect(events).toEqual([
    { line: 1, atEpochMs: 1000, job: 'app-1 #7', event: 'started', runner: 'davit-1' },
    { line: 2, atEpochMs: 1500, job: 'app-1 #7', event: 'completed', conclusion: 'success' },
    { line: 3, atEpochMs: 2000, job: 'app-0 #7', event: 'started', runner: 'davit-0' },
    { line: 4, atEpochMs: 2000, job: 'app-0 #7', event: 'completed', conclusion: 'success' },
  ]);
});

test('a node of davit that ran two builds is found; any other node may', () => {
  expect(verdictOf({ builtOn: 'davit-a' }, { builtOn: 'davit-a' }).findings).toMatchObject([
    { subject: 'runner davit-a', rule: 'a runner runs one job' },
  ]);
  expect(verdictOf({ builtOn: '' }, { builtOn: '' }, { builtOn: 'mac' }, { builtOn: 'mac' }).findings).toEqual([]);
});

test.each<[string, Difference, Partial<ReturnType<typeof verdictOf>>]>([
  ['fails', { result: 'FAILURE' }, { ran: 1, findings: [expect.objectContaining({ seen: 'it ended as failure' })] }],
  ['is unstable', { result: 'UNSTABLE' }, { ran: 1, findings: [] }],
  ['is aborted', { result: 'ABORTED' }, { cancelled: 1, findings: [] }],
  ['goes on', { building: true, result: null, duration: 0 }, { jobs: 0, findings: [] }],
])('a build that %s', (_what, build, verdict) => {
  expect(verdictOf(build)).toMatchObject(verdict);
});

test.each([
  ['another answer', '{"builds": []}', /^builds.json, line 1: jobs: /],
  ['no JSON', '<html>', /^builds.json, line 1: no JSON/],
])('%s is an error with the name of the file', (_what, text, words) => {
  expect(() => readJenkinsHistory(text, 'builds.json')).toThrow(words);
});
