import type { Bean } from './exported.ts';
import type { JenkinsBuild } from './records.ts';

/** The root of the API's URLs, with a trailing slash. */
export type RootUrl = string;

/** What an executor runs: a freestyle build, or a part of a pipeline. @see ExecutorStepExecution.PlaceholderTask.PlaceholderExecutable */
export function executableBean(root: RootUrl, build: JenkinsBuild): Bean {
  if (build.kind === 'freestyle') return buildBean(root, build);
  const name = `part of ${build.job} #${build.number}`;
  return {
    className:
      'org.jenkinsci.plugins.workflow.support.steps.ExecutorStepExecution$PlaceholderTask$PlaceholderExecutable',
    fields: {
      displayName: name,
      estimatedDuration: -1,
      fullDisplayName: name,
      number: build.number,
      timestamp: build.startedAtEpochMs,
      url: `${jobUrl(root, build.job)}${build.number}/`,
    },
  };
}

/** A run, in `/job/NAME/NUMBER/api/json` and where one is named. @see hudson.model.Run */
export function buildBean(root: RootUrl, build: JenkinsBuild): Bean {
  const { kind, job, number, result, builtOn, queueId } = build;
  return {
    className: kind === 'freestyle' ? 'hudson.model.FreeStyleBuild' : 'org.jenkinsci.plugins.workflow.job.WorkflowRun',
    fields: {
      actions: [causesBean(build.causedBy)],
      building: result === undefined,
      duration: result === undefined ? 0 : (build.endedAtEpochMs ?? build.startedAtEpochMs) - build.startedAtEpochMs,
      displayName: `#${number}`,
      fullDisplayName: `${job} #${number}`,
      id: String(number),
      number,
      queueId,
      result: result ?? null,
      timestamp: build.startedAtEpochMs,
      url: `${jobUrl(root, job)}${number}/`,
      // Only AbstractBuild exports it.
      ...(kind === 'freestyle' ? { builtOn: builtOn ?? '' } : {}),
    },
  };
}

/** @see hudson.model.Cause.UserIdCause */
export function causesBean(user: string): Bean {
  const fields = { shortDescription: `Started by user ${user}`, userId: user, userName: user };
  const causes = [{ className: 'hudson.model.Cause$UserIdCause', isAlwaysShown: true, fields }];
  return { className: 'hudson.model.CauseAction', isAlwaysShown: true, fields: { causes } };
}

/** The page of a job, which may be in folders. */
export function jobUrl(root: RootUrl, job: string): string {
  const names = job.split('/').map((name) => `job/${encodeURIComponent(name)}/`);
  return `${root}${names.join('')}`;
}
