import type { JobEvent } from '../../../../verify/jobs/job-event.ts';
import { readJobEvents, verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';

/** Leaves the time out, which a test counts. */
type Event = JobEvent extends infer Each ? (Each extends JobEvent ? Omit<Each, 'atEpochMs'> : never) : never;

function verdictOf(...events: Event[]) {
  const text = events.map((event, index) => JSON.stringify({ ...event, atEpochMs: index })).join('\n');
  return verifyJobs(readJobEvents(text, 'jobs.jsonl'));
}

function seenIn(...events: Event[]): string[] {
  return verdictOf(...events).findings.map(({ subject, rule, seen, line }) => `${line} ${subject}: ${rule}; ${seen}`);
}

const queued: Event = { job: 'a', event: 'queued' };
const started: Event = { job: 'a', event: 'started', runner: '7' };
const succeeded: Event = { job: 'a', event: 'completed', conclusion: 'success' };
const failed: Event = { job: 'a', event: 'completed', conclusion: 'failure' };
const again: Event = { job: 'a', event: 'again' };

test('jobs that ran, were cancelled, lost their agents or wait with a reason are in order', () => {
  const verdict = verdictOf(
    queued,
    started,
    succeeded,
    { job: 'b', event: 'queued' },
    { job: 'b', event: 'completed', conclusion: 'cancelled' },
    { job: 'c', event: 'queued' },
    { job: 'c', event: 'started', runner: '8' },
    { job: 'c', event: 'taken', why: 'its node is lost' },
    { job: 'c', event: 'completed', conclusion: 'failure' },
    { job: 'd', event: 'queued' },
    { job: 'd', event: 'explained', why: 'no profile takes it' },
    { job: 'e', event: 'started', runner: '9' },
    { job: 'e', event: 'completed', conclusion: 'failure', mayFail: true },
  );

  expect(verdict).toEqual({ jobs: 5, ran: 2, cancelled: 1, taken: 1, explained: 1, runners: 3, findings: [] });
});

test('a job whose agent was taken may run again for davit', () => {
  const taken: Event = { job: 'a', event: 'taken', why: 'its node is lost' };

  expect(seenIn(queued, started, taken, failed, again)).toEqual([]);
});

test.each<[title: string, events: Event[], seen: string]>([
  [
    'failed by itself, and that davit has run again,',
    [queued, started, { ...failed, mayFail: true }, again],
    '4 job a: davit has a job run again only if its agent was taken; it was failure',
  ],
  [
    'runs twice',
    [queued, started, { ...started, runner: '8' }, succeeded],
    '3 job a: a job is run once; it started 2 times',
  ],
  ['ends twice', [queued, started, succeeded, succeeded], '4 job a: a job ends once; it ended 2 times'],
  ['starts after its end', [queued, succeeded, started], '3 job a: a job that is over does not start; it was success'],
  [
    'has a result and never ran',
    [queued, succeeded],
    '2 job a: only a job that was run has a result; it ended as success',
  ],
  ['is cut off', [queued, started, failed], '3 job a: nobody ends an agent while it runs a job; it ended as failure'],
  ['waits without a word', [queued], '1 job a: a job is run, is cancelled, or davit says why not; it waits'],
  ['never ends', [queued, started], '1 job a: a job is run, is cancelled, or davit says why not; it never ended'],
])('a job that %s is found', (_, events, seen) => {
  expect(seenIn(...events)).toEqual([seen]);
});

test('a runner that runs two jobs is found, unless it is not of davit', () => {
  const second: Event[] = [
    { job: 'b', event: 'started', runner: '7' },
    { job: 'b', event: 'completed', conclusion: 'success' },
  ];

  expect(seenIn(started, succeeded, ...second)).toEqual(['3 runner 7: a runner runs one job; it ran a, b']);
  expect(seenIn({ ...started, isForeign: true }, succeeded, ...second)).toEqual([]);
});

test('a line that is no event names its file and its number', () => {
  expect(() => readJobEvents('\n{"atEpochMs":1,"job":"a","event":"begun"}', 'jobs.jsonl')).toThrow(
    'jobs.jsonl, line 2: event: Invalid discriminator value',
  );
  expect(() => readJobEvents('{', 'jobs.jsonl')).toThrow('jobs.jsonl, line 1: no JSON: ');
});
