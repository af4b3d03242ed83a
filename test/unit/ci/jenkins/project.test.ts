import { itemIdOf, jobIdOf } from '../../../../ci/jenkins/job-id.ts';
import { pathInJenkins, projectOf } from '../../../../ci/jenkins/project.ts';

test.each([
  ['http://j/job/deploy/', { fullName: 'deploy', repository: { owner: '-', name: 'deploy' } }],
  ['http://j/ci/job/team/job/app/', { fullName: 'team/app', repository: { owner: 'team', name: 'app' } }],
  [
    'http://j/job/team/job/app/job/feature%2Fx/12/',
    { fullName: 'team/app/feature/x', repository: { owner: 'team', name: 'app' }, build: 12 },
  ],
  [
    'http://j/job/team/job/grid/arch=arm,os=linux/',
    { fullName: 'team/grid/arch=arm,os=linux', repository: { owner: 'team', name: 'grid' } },
  ],
  [
    'http://j/job/grid/os=linux/12/',
    { fullName: 'grid/os=linux', repository: { owner: '-', name: 'grid' }, build: 12 },
  ],
  ['http://j/job/100%/', { fullName: '100%', repository: { owner: '-', name: '100%' } }],
  ['http://j/job/a%20b/', { fullName: 'a b', repository: { owner: '-', name: 'a b' } }],
])('%s is a project', (url, expected) => {
  expect(projectOf(url)).toMatchObject(expected);
});

test.each(['http://j/', 'http://j/computer/', 'http://j/job/', 'http://j j/job/app/'])('%s is no project', (url) => {
  expect(projectOf(url)).toBeUndefined();
});

test.each([
  ['http://j/job/app/12/', '/job/app/12'],
  ['https://buildjob/myjob/job/team/job/app/12', '/job/team/job/app/12'],
  ['null/job/app/12/', '/job/app/12'],
  ['job/app/12/', '/job/app/12'],
  ['http://j/computer/', ''],
])('%s is at %j in Jenkins', (url, expected) => {
  expect(pathInJenkins(url)).toBe(expected);
});

test('the branches of a project are one repository, and two projects are two', () => {
  const idsOf = (urls: string[]) => new Set(urls.map((url) => projectOf(url)?.repositoryId));

  expect(idsOf(['http://j/job/t/job/a/job/x/', 'http://j/job/t/job/a/job/y/']).size).toBe(1);
  expect(idsOf(['http://j/job/t/job/a/', 'http://j/job/t/job/b/', 'http://j/job/a/']).size).toBe(3);
});

test('a job has the number of its item and its moment: after a crash, Jenkins counts from an earlier number', () => {
  const before = jobIdOf({ id: 57, inQueueSince: 1_764_064_123_456 });
  const after = jobIdOf({ id: 57, inQueueSince: 1_764_064_183_456 });

  expect([itemIdOf(before), itemIdOf(after)]).toEqual([57, 57]);
  expect(before).not.toBe(after);
  expect(Number.isSafeInteger(jobIdOf({ id: 900_000_000, inQueueSince: 1_764_064_123_456 }))).toBe(true);
});
