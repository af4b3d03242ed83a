import type { Finding, SweepReport } from '../../functions/sweep/sweep-report.ts';

/** The report of a sweep that found nothing. */
export const nothingFound = {
  dryRun: false,
  complete: true,
  seen: { launches: 2, objects: 4 },
  findings: [],
  found: {},
  done: {},
  spared: {},
  left: 0,
  errors: [],
} satisfies SweepReport;

/** A Pod that a sweep deleted. */
export const deletedPod = {
  kind: 'Pod',
  cluster: 'sandbox',
  namespace: 'davit-agents',
  name: 'davit-job',
  uid: 'uid-1',
  launchId: 'job',
  reason: 'LaunchOver',
  outcome: 'deleted',
} as const satisfies Finding;
