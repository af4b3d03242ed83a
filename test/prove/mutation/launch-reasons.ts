const awayNext = 'a cluster without a record is not known to be away, which the next condition says too';
const cleaningEnds = 'every record that is cleaning has an ending; only its type allows none';
const concludesEarly = 'the look then concludes early, judges the same, and goes on to the same end';
const launchingHasPlan = 'a record that is launching has a plan; only its type allows none';
const libraryThrows = 'the library throws nothing else while it parses nothing';
const limited = 'it is called with at least one limit; only its type allows none';
const listedHasPlan = 'a launch that is not over has a plan; only its type allows none';
const noLog = 'without a Pod or a container no log was read, which the next condition says too';
const notAboutLaunch = 'a finding about a launch has no uid to leave out';
const onlyExited = 'no decision tells an agent that is there from one that nobody knows of';
const onlyGraces = 'only trouble with a grace period comes here; only the types ask';
const onlyWithClusters = 'a launch that may move has clusters; only its type allows none';
const overBefore = "only a webhook's job can be over before its launch is requested";
const passed = 'whatever is neither refused nor admitted has passed';
const readsAgain = 'trouble that has outlasted its grace period is read again before it fails the launch';
const recordIsThere =
  'the agent is of the present generation, so its record and plan are there; only their types allow none';

/**
 * Why no test can notice a mutant outside of `core`, or need not: by the file, and by the code that it
 * changes.
 */
export const launchReasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'functions/clean-up/remove-everywhere.ts': {
    'record?.ending?.outcome': cleaningEnds,
    "kind === 'Pod'": 'only a Pod has times',
  },
  'functions/connect/connect.ts': {
    'record?.plan?.join': recordIsThere,
    'record?.plan': recordIsThere,
    "''": 'neither text is a credential or the name of an agent that has one',
    'credential === undefined': 'the verifier refuses everything that is no credential; only its type asks for a text',
    'default:\n      return registered satisfies never;': 'never reached: the compiler proves it',
  },
  'functions/connect/token-answer.ts': {
    "headers['accept']?.split(/[,;]/)[0]?.trim": 'split returns at least one text; only its type allows none',
  },
  'logic/lifecycle/admit-waiting.ts': {
    '[]': 'a text is no job that waits for a slot',
    "''": 'every job that waits for a slot has a limit; only its type allows none',
    "{ is: 'passed' }": passed,
    "'passed'": passed,
    'limit !== undefined': limited,
  },
  'logic/lifecycle/all-away.ts': {
    'state !== undefined': awayNext,
    "'Unreachable'": 'every record of a cluster that is away has a reason; only its type allows none',
  },
  'logic/lifecycle/bind-job.ts': {
    'runner === undefined': 'without a runner there is no name of an agent, which the next condition says too',
  },
  'logic/lifecycle/end-job.ts': { created: 'a tombstone is over, so ending it again changes nothing' },
  'logic/lifecycle/request-launch.ts': { 'record.plan !== undefined': launchingHasPlan },
  'functions/launches/launch-view.ts': { 'ending === undefined': cleaningEnds },
  'functions/launches/launches.ts': {
    'requested.record.plan?.profile': overBefore,
    'taken !== undefined': overBefore,
    '[]': 'without a job, only the limit of the profile counts',
    "''": 'a request without a job waits in no queue, and no one reads its repository',
  },
  'functions/relaunch/relaunch.ts': { '[]': onlyWithClusters, 'plan.failover?.clusters': onlyWithClusters },
  'logic/steps/create-once.ts': { '[]': 'an owner without a uid is written as no owner is' },
  'logic/steps/create-within-deadlines.ts': {
    'over === error': 'the error is the same either way; this saves a read',
  },
  'logic/steps/move-elsewhere.ts': { '[]': onlyWithClusters, 'state === undefined': awayNext },
  'logic/steps/observe-pod.ts': {
    'nowEpochMs() < graceEndEpochMs': concludesEarly,
    'graceEndEpochMs < untilEpochMs': concludesEarly,
    'Math.min(endEpochMs, conclusion.graceEndEpochMs ?? endEpochMs)':
      "the next look begins with the Pod's present state, and ends with the grace period anyway",
  },
  'logic/steps/on-cluster.ts': {
    'record?.signal': "a launch's record outlasts its execution",
    'error.reason === undefined': 'a reason that is undefined is none; only its type tells them apart',
  },
  'logic/steps/pod-monitor.ts': {
    'graceEndEpochMs !== undefined && this.#deps.nowEpochMs() >= graceEndEpochMs': readsAgain,
    'graceEndEpochMs !== undefined': readsAgain,
    'this.#deps.nowEpochMs() >= graceEndEpochMs': readsAgain,
    'pod === undefined': 'a Pod that is gone ends the attempt before',
    "verdict.kind !== 'grace'": 'no other verdict is the same trouble',
    "one.kind === 'grace' &&\n    other.kind === 'grace'": onlyGraces,
    "one.kind === 'grace'": onlyGraces,
    "other.kind === 'grace'": onlyGraces,
  },
  'logic/steps/read-diagnostics.ts': { 'pod && container': noLog },
  'logic/steps/read-failure.ts': {
    "{\n    return undefined; // a Cause of Step Functions' own is plain text\n  }":
      'a function that returns nothing returns undefined',
  },
  'runtime/event-handler.ts': {
    '{ metrics, nowEpochMs: Date.now }':
      'the handlers use it, which the end-to-end tests run; a unit test gives its own',
  },
  'core/launch/waits-for-room.ts': { "''": 'neither text is a code' },
  'functions/sweep/exit-words.ts': { '[]': 'what has no exit code is not told' },
  'functions/sweep/find-launches.ts': {
    'plan?.cluster': listedHasPlan,
    'plan !== undefined': listedHasPlan,
    'record.plan?.namespace': listedHasPlan,
    'plan === undefined': listedHasPlan,
    "'unknown'": onlyExited,
    "'there'": onlyExited,
  },
  'functions/sweep/find-objects.ts': {
    'launch.plan?.namespace': 'a launch without a plan has used no cluster',
    "''": 'a launch without a plan has used no cluster, and no launch has either text as its id',
    '[]': 'no launch has this id',
  },
  'functions/sweep/handle-launch.ts': {
    'candidate.reason !== agentExited': onlyExited,
    "'unknown'": onlyExited,
    "'there'": onlyExited,
    'exit !== undefined': 'only an agent that has exited is spared here',
    'plan === undefined': listedHasPlan,
    'plan !== undefined': listedHasPlan,
    'ending?.message': cleaningEnds,
    "'the launch is over'": cleaningEnds,
  },
  'functions/sweep/judge-launch.ts': {
    'plan !== undefined': launchingHasPlan,
    'record.ending?.by': cleaningEnds,
    'ending?.atEpochMs': cleaningEnds,
  },
  'functions/sweep/judge-object.ts': { "''": 'neither text is a time' },
  'functions/sweep/publish-report.ts': { "finding.kind === 'Launch'": notAboutLaunch, "'Launch'": notAboutLaunch },
  'functions/sweep/sweep.ts': { '[]': 'a text is no place in a cluster of davit.yaml, so nobody looks there' },
  'logic/jobs/handle-registered-job.ts': {
    "seen.status === 'queued'": 'only a queued job is left to reconcile; for any other, this saves a read',
  },
  'ci/standard-webhooks/read-standard-event.ts': {
    '{\n    if (error instanceof WebhookVerificationError) return false;\n    throw error;\n  }': libraryThrows,
    'error instanceof WebhookVerificationError': libraryThrows,
    '/^([^/]+)\\/(.+)$/s': 'the last group takes everything up to the end',
    "''": 'neither text has an owner',
    '[]': 'the first element is the whole text, which is not used',
  },
  'ci/workflow-job.ts': { "''": 'neither text is a time' },
};
