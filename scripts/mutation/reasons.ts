import { basename } from 'node:path';
import { domainReasons } from './domain-reasons.ts';
import { launchReasons } from './launch-reasons.ts';
import type { Survivor } from './results.ts';

/** Why no test can notice a mutant, or need not. */
interface Reason extends Pick<Survivor, 'original'> {
  file: string;
  /** @default every replacement of this code */
  replacement?: string;
  reason: string;
}

const connect = 'functions/connect/connect.ts';
const everyCleaningEnds = 'every record that is cleaning has an ending; only its type allows none';
const exitWords = 'functions/sweep/exit-words.ts';
const judgeLaunch = 'functions/sweep/judge-launch.ts';
const publishReport = 'functions/sweep/publish-report.ts';
const relaunch = 'functions/relaunch/relaunch.ts';
const onlyWithClusters = 'a launch that may move has clusters; only its type allows none';
const endLaunch = 'functions/launch-lifecycle/end-launch.ts';
const launches = 'functions/launches/launches.ts';
const moveElsewhere = 'functions/steps/move-elsewhere.ts';
const onCluster = 'functions/steps/on-cluster.ts';
const requestLaunch = 'functions/launch-lifecycle/request-launch.ts';

const recordIsThere =
  'the agent is of the present generation, so its record and plan are there; only their types allow none';

const reasons: readonly Reason[] = [
  { file: connect, original: 'record?.plan?.join', reason: recordIsThere },
  { file: connect, original: 'record?.plan', reason: recordIsThere },
  {
    file: connect,
    original: "''",
    reason: 'neither text is a credential or the name of an agent that has one',
  },
  {
    file: connect,
    original: 'credential === undefined',
    replacement: 'false',
    reason: 'the verifier refuses everything that is no credential; only its type asks for a text',
  },
  {
    file: connect,
    original: 'default:\n      return registered satisfies never;',
    reason: 'never reached: the compiler proves it',
  },
  {
    file: 'functions/connect/token-answer.ts',
    original: "headers['accept']?.split(/[,;]/)[0]?.trim",
    reason: 'split returns at least one text; only its type allows none',
  },
  { file: moveElsewhere, original: '[]', reason: onlyWithClusters },
  {
    file: moveElsewhere,
    original: 'state === undefined',
    reason: 'a cluster without a record is not known to be away, which the next condition says too',
  },
  {
    file: moveElsewhere,
    original: 'state === undefined || connectedAt(state, now) !== false',
    reason: 'a cluster without a record is not known to be away, which the next condition says too',
  },
  { file: onCluster, original: 'record?.signal', reason: "a launch's record outlasts its execution" },
  {
    file: onCluster,
    original: 'error.reason === undefined',
    reason: 'a reason that is undefined is none; only its type tells them apart',
  },
  {
    file: 'functions/steps/create-once.ts',
    original: '[]',
    reason: 'an owner without a uid is written as no owner is',
  },
  {
    file: 'functions/launches/launch-view.ts',
    original: 'ending === undefined',
    reason: everyCleaningEnds,
  },
  {
    file: launches,
    original: 'requested.record.plan?.profile',
    reason: "only a webhook's job can be over before its launch is requested",
  },
  {
    file: launches,
    original: 'taken !== undefined',
    reason: "only a webhook's job can be over before its launch is requested",
  },
  { file: launches, original: '[]', reason: 'without a job, only the limit of the profile counts' },
  {
    file: launches,
    original: "''",
    reason: 'a request without a job waits in no queue, and no one reads its repository',
  },
  {
    file: exitWords,
    original: '[]',
    reason: 'what has no exit code is not told',
  },
  {
    file: judgeLaunch,
    original: 'plan !== undefined',
    reason: 'a record that is launching has a plan; only its type allows none',
  },
  { file: judgeLaunch, original: 'record.ending?.by', reason: everyCleaningEnds },
  { file: judgeLaunch, original: 'ending?.atEpochMs', reason: everyCleaningEnds },
  {
    file: 'functions/sweep/judge-object.ts',
    original: "''",
    reason: 'neither text is a time',
  },
  {
    file: publishReport,
    original: "finding.kind === 'Launch'",
    reason: 'a finding about a launch has no uid to leave out',
  },
  { file: publishReport, original: "'Launch'", reason: 'a finding about a launch has no uid to leave out' },
  { file: relaunch, original: '[]', reason: onlyWithClusters },
  { file: relaunch, original: 'plan.failover?.clusters', reason: onlyWithClusters },
  {
    file: endLaunch,
    original: 'one?.by',
    reason: 'every record that end returns has an ending; only its type allows none',
  },
  {
    file: requestLaunch,
    original: 'record.plan !== undefined',
    reason: 'a record that is launching has a plan; only its type allows none',
  },
];

/** @returns undefined without a reason: then a test is missing */
export function reasonFor(file: string, { original, replacement }: Survivor): string | undefined {
  const found = reasons.find(
    (one) =>
      one.file === file &&
      one.original === original &&
      (one.replacement === undefined || one.replacement === replacement),
  );
  return found?.reason ?? launchReasons[file]?.[original] ?? domainReason(file, original);
}

function domainReason(file: string, original: string): string | undefined {
  const isOfDomain = file.startsWith('functions/domain/');
  return isOfDomain ? domainReasons[basename(file, '.ts')]?.[original] : undefined;
}
