import type { ReadJob } from '../../../../core/job/job-record.ts';
import { seenJobOf } from '../../../../core/job/seen-job.ts';
import { seenJob } from '../../../support/seen-job.ts';

const gitea = { name: 'gitea', provider: 'gitea' } as const;
const { ciSystem: _system, ...read }: ReadJob & { ciSystem: string } = seenJob();

test('a job as its CI system describes it is stored with the name of that system', () => {
  expect(seenJobOf(gitea, read)).toEqual({ job: seenJob() });
});

test('texts are shortened to 256 characters', () => {
  const [long, short] = ['x'.repeat(300), 'x'.repeat(256)];
  const given: ReadJob = { ...read, name: long, workflow: long, sha: long, conclusion: long };

  const { job } = seenJobOf(gitea, { ...given, runner: { id: 9, name: long } });

  expect(job).toMatchObject({ name: short, workflow: short, sha: short, conclusion: short });
  expect(job?.runner).toEqual({ id: 9, name: short });
});

test('a field without a value is absent', () => {
  expect(seenJobOf(gitea, { ...read, url: undefined, organization: undefined }).job).not.toHaveProperty('url');
});

test('a job with more labels than davit stores is refused with their number', () => {
  const labels = Array.from({ length: 101 }, (_, index) => `l${index}`);

  expect(seenJobOf(gitea, { ...read, labels })).toEqual({ reason: 'the job has 101 labels: davit takes at most 100' });
});
