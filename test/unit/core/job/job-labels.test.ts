import { readLabels } from '../../../../core/job/job-labels.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `l${index}`);

describe('labels of a job', () => {
  test.each([
    ['100 labels', numbered(100)],
    ['a label of 256 characters', ['linux', 'x'.repeat(256)]],
    ['none', []],
  ])('are taken as they are: %s', (_what, labels) => {
    expect(readLabels('github', labels)).toEqual({ labels });
  });

  test.each([
    ['101 labels', numbered(101), 'the job has 101 labels: davit takes at most 100'],
    ['90,000 labels', numbered(90_000), 'the job has 90000 labels: davit takes at most 100'],
    [
      'a label of 420 KB',
      ['linux', 'x'.repeat(420_000)],
      'label 2 of the job has 420000 characters: davit takes at most 256',
    ],
  ])('are refused with their number: %s', (_what, labels, reason) => {
    expect(readLabels('gitea', labels)).toEqual({ reason });
  });

  test('may be one long expression in Jenkins', () => {
    const expression = (characters: number) => 'linux || '.padEnd(characters, 'x');

    expect(readLabels('jenkins', [expression(4096)])).toEqual({ labels: [expression(4096)] });
    expect(readLabels('jenkins', [expression(4097)]).reason).toMatch(/has 4097 characters: davit takes at most 4096/);
  });

  test('count once, as the CI system compares them: an agent may run a job that repeats its labels', () => {
    expect(readLabels('github', ['linux', ...numbered(99), 'Linux', 'LINUX'])).toEqual({
      labels: ['LINUX', ...numbered(99)],
    });
    expect(readLabels('gitea', ['linux', 'Linux', 'linux'])).toEqual({ labels: ['linux', 'Linux'] });
  });
});
