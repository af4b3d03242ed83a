/** The faults, in the order in which they run. */
export const faults = {
  none: 'none',
  'kill-coming-up': 'the controller is killed with -9 while launches come up, and starts again after 2 s',
  'kill-running': 'the controller is killed with -9 while the jobs run, and starts again after 2 s',
  'kill-going': 'the controller is killed with -9 while the agents go, and starts again after 2 s',
  'api-frozen': 'the API server is frozen for 25 s while launches come up',
  'node-lost': 'the node of all running jobs is lost: no network, no process; its Node object stays',
  'node-deleted': 'the same, and its Node object goes after 20 s, as clouds remove it',
  'pod-deleted-early': 'all Pods are deleted before their agents connect',
  'pod-deleted-running': 'all Pods are deleted while their jobs run',
  'image-missing': "the agents' image is missing for 45 s",
  'never-connects': 'the first agent of each job never connects',
  'webhook-lost': 'the webhooks of the new jobs are lost',
  'ci-restarted': 'the source of the jobs is away for 10 s while launches come up or jobs run',
} as const;
export type FaultName = keyof typeof faults;

/** The systems that get the same faults. */
export const systemNames = ['davit', 'Buildbot'] as const;
export type SystemName = (typeof systemNames)[number];

/** Lists the faults' names. */
export const faultNames = Object.keys(faults) as FaultName[];
