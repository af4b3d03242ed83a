import type { Admissions, CleanUps, CommitReports, Polls, Probes, Refusals, Retirements } from '../ports/requests.ts';

/** Queues a run of one function with this event. @throws TransientError StoreUnavailable */
export type Invoke = (event: object) => Promise<void>;

/** Requests clean-ups. @param cleanUp invokes clean-up */
export function cleanUpsBy(cleanUp: Invoke): CleanUps {
  return { request: (launchId) => cleanUp({ launchId }) };
}

/** Requests that jobs get slots. @param admit invokes admit */
export function admissionsBy(admit: Invoke): Admissions {
  return { request: (launchId) => admit({ launchId }) };
}

/** Requests the removal of runners. @param retireRunner invokes retire-runner */
export function retirementsBy(retireRunner: Invoke): Retirements {
  return {
    request: ({ launchId, reason, by, actor, finishedJobKey }) =>
      retireRunner({ launchId, reason, by, actor, ...(finishedJobKey === undefined ? {} : { finishedJobKey }) }),
  };
}

/** Requests reports on commits. @param reportToCi invokes report-to-ci */
export function commitReportsBy(reportToCi: Invoke): CommitReports {
  return { request: (report) => reportToCi(report) };
}

/** Requests the events of refused jobs. @param publishEvents invokes publish-events */
export function refusalsBy(publishEvents: Invoke): Refusals {
  return { tell: (refused) => publishEvents({ refused }) };
}

/** Requests polls of CI systems. @param pollCi invokes poll-ci */
export function pollsBy(pollCi: Invoke): Polls {
  return {
    requestJob: (ciSystem, job) => pollCi({ ciSystem, job }),
    request: (ciSystem, atEpochMs) => pollCi({ ciSystem, atEpochMs }),
  };
}

/** Requests probes of clusters. @param probe invokes probe */
export function probesBy(probe: Invoke): Probes {
  return {
    request: (cluster) => probe({ cluster }),
    requestWatch: (cluster) => probe({ cluster, isLaunching: true }),
  };
}
