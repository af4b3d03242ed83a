import { isEndedByItsJob, jobEnding } from '../../../../core/job/job-ending.ts';
import { endingOf } from '../../../contract/launch-fixtures.ts';

const runs = { jobKey: 'gitea/7/8/1', sinceEpochMs: 1_767_225_600_000 };

test.each([
  { conclusion: 'success', concluded: 'success' },
  { conclusion: undefined, concluded: 'no conclusion' },
])("the ending of a launch whose job completed has the job's conclusion: $concluded", ({ conclusion, concluded }) => {
  expect(jobEnding('gitea', conclusion, 1_767_225_600_000)).toEqual({
    outcome: 'terminated',
    code: 'Terminated',
    message: `the job completed: ${concluded}`,
    by: `gitea workflow_job completed (${concluded})`,
    actor: { kind: 'ciSystem', name: 'gitea' },
    atEpochMs: 1_767_225_600_000,
  });
});

test.each([
  { fact: "its own job's completion", record: { ending: jobEnding('gitea', 'success', 1), runs }, isEnded: true },
  { fact: 'the completion, but it ran no job', record: { ending: jobEnding('gitea', 'success', 1) }, isEnded: false },
  { fact: 'a step', record: { ending: endingOf(), runs }, isEnded: false },
  { fact: 'nothing yet', record: { runs }, isEnded: false },
])('the end of a launch by $fact counts as by its job: $isEnded', ({ record, isEnded }) => {
  expect(isEndedByItsJob(record)).toBe(isEnded);
});
