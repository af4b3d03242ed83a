import type { FunctionName } from '../../runtime/function-settings.ts';

/** The functions that throw only because of a fault. A step also throws when it has to wait. */
export const neverThrowing: readonly FunctionName[] = [
  'webhook',
  'launches',
  'clusters',
  'jobs',
  'connect',
  'sweep',
  'reconcile',
  'poll-ci',
  'probe',
  'publish-events',
];

/** The functions that answer requests. */
export const doors: readonly FunctionName[] = ['webhook', 'launches', 'clusters', 'jobs', 'connect', 'describe-api'];

/** The functions that act in CI systems, or look after clusters. */
export const workers: readonly FunctionName[] = [
  'register-runner',
  'retire-runner',
  'report-to-ci',
  'admit',
  'reconcile',
  'poll-ci',
  'probe',
];

const withAnd = new Intl.ListFormat('en-GB');
const withOr = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** An alarm's text for the person on call. */
export interface AlarmText {
  /** When it goes off. */
  when: string;
  means: string;
  /** What to do. */
  advice: string;
}

/**
 * The text of every alarm, by its construct id. `alarms.ts` has their metrics and thresholds. docs/alarms.md is generated
 * from this.
 */
export const alarmTexts = {
  LaunchesFail: {
    when: 'At least 5 launches ended or connected in 15 minutes, and more than 10 % of them failed before their agent had connected.',
    means: 'Jobs wait for agents that never connect.',
    advice:
      'Look at the metric Launches by code. One code that stands out is the cause, and errors.md says what to do about ' +
      "it. GET /launches?status=failed shows each launch with the cluster's own words.",
  },
  AgentsAreLate: {
    when: 'The 90th percentile of TimeToAgent is above 5 minutes for 15 minutes.',
    means: 'Agents connect, but late.',
    advice:
      'StepTime shows which step takes the time, and Waits what it waits for. PollHostIP: capacity, an autoscaler or a slow ' +
      'image. PublishToken: the agent starts slowly, or cannot reach the API. CreateService, CreatePod: a full quota.',
  },
  LaunchHangs: {
    when: 'For 15 minutes, a launch has been launching or cleaning for more than an hour.',
    means: 'A launch waits without end, or a clean-up does not finish.',
    advice:
      'GET /launches?status=launching,cleaning shows what it waits for and since when; DELETE /launches/{id} ends it. ' +
      'Profiles with longer deadlines need a higher threshold.',
  },
  FunctionsFail: {
    when: `One of ${withAnd.format(neverThrowing)} failed: it threw, timed out, or ran out of memory.`,
    means:
      'These functions throw only because of a fault. The caller, the next sweep or the stream repeats the request.',
    advice: "Read the function's log at that time. A time-out: look at the service that it called last.",
  },
  Defects: {
    when: 'A function met an error that davit has no code for.',
    means: 'A launch may have failed with the code Unexpected, or a request may have got the answer 500.',
    advice: 'The log line "failed unexpectedly" or "unexpected error" has the stack. Report it.',
  },
  DoorsThrottled: {
    when: `Lambda throttled ${withOr.format(doors)} in each of three periods of 5 minutes.`,
    means:
      "The account's Lambda concurrency is used up. Agents ask again by themselves; GitHub does not deliver again.",
    advice: "Raise the account's concurrency, or find what uses it. Failed deliveries: Recent Deliveries, Redeliver.",
  },
  WorkersThrottled: {
    when: `Lambda throttled ${withOr.format(workers)} in each of three periods of 5 minutes.`,
    means:
      'Agents are registered later, surplus ones stay longer, jobs that wait for a slot wait longer, and the state of clusters is older.',
    advice: "Raise the account's concurrency, or find what uses it. Nothing is lost: the next reconcile continues.",
  },
  StepsThrottled: {
    when: 'Lambda throttled steps, sweep or publish-events in each of three periods of 5 minutes.',
    means: 'Launches are slower: the state machine repeats a throttled step until its deadline, then the launch fails.',
    advice: "Raise the account's concurrency, or find what uses it. Raise reservedConcurrency, where it is set.",
  },
  ApiFails: {
    when: 'In each of two periods of 5 minutes, more than 2 % of at least 20 requests got an answer 5xx. Early agents do not count.',
    means: 'Webhooks and launches are refused, or agents do not get their answer.',
    advice:
      'HttpAnswers shows which function answered what, and Retries which service did not answer. If neither does, read ' +
      'integrationError in the access log.',
  },
  RequestsRefused: {
    when: 'In each of two periods of 5 minutes, more than 100 requests got an answer 4xx.',
    means:
      "Somebody guesses signatures or credentials (401), a webhook's secret is wrong (401), or requests exceed the API's throttle (429).",
    advice:
      'HttpAnswers shows which function answered what. API Gateway itself answers 429, which only the access log shows, with ' +
      'the path and the address. Raise the throttle for real load. Block the address, or renew the secret.',
  },
  SweepStopped: {
    when: 'For 15 minutes, the sweep has not run.',
    means: 'Objects that were left behind stay in clusters, and no launch reaches its lifetime.',
    advice: 'Look at the schedule of the sweep: it may be disabled, deleted, or refused. Then deploy again.',
  },
  ReconcileStopped: {
    when: 'For 15 minutes, reconcile has not run.',
    means: 'A lost webhook leaves a job waiting, surplus agents stay, and idle agents are not retired.',
    advice: 'Look at the schedule of reconcile: it may be disabled, deleted, or refused. Then deploy again.',
  },
  PollStopped: {
    when: 'For 15 minutes, no poll has run.',
    means: 'Jobs of the CI systems that davit polls get their agents late, from reconcile, or never.',
    advice: 'Look at the schedule of the polls: it may be disabled, deleted, or refused. Then deploy again.',
  },
  ProbeStopped: {
    when: 'For 15 minutes, the probe has not run.',
    means: 'davit learns only from launches whether clusters are connected.',
    advice: 'Look at the schedule of the probe: it may be disabled, deleted, or refused. Then deploy again.',
  },
  SweepFindsLeaks: {
    when: 'The sweep removed, or failed to remove, a Service or a Pod that nothing else would have removed.',
    means: 'Something was left behind. It is gone now, or the sweep tries again each minute.',
    advice:
      "The event SweepReported and the sweep's log name each thing and the reason. LaunchUnknown: does another davit use " +
      'the namespace? LaunchOver: look for a clean-up of that launch that failed.',
  },
  SweepIsBehind: {
    when: 'In each of three periods of 5 minutes, a sweep did not finish its work, or could not look at something.',
    means: 'Objects that were left behind in a cluster stay there longer.',
    advice:
      "The sweep's log names what it could not look at: usually a cluster that it cannot reach. The sweep leaves a launch " +
      'alone whose record it cannot read: correct its item in the launches table, or delete it.',
  },
  ReconcileRepairs: {
    when: 'Reconciling repaired what events should have done: it launched for a queued job without an agent, removed a runner without a launch, or asked for a webhook to be delivered again.',
    means: 'Something went wrong, and reconciling repaired it: usually a webhook was lost, or a launch failed.',
    advice:
      "The metric Repairs says what, and reconcile's log which job, launch or runner, and why. LaunchRequested: look at the " +
      "CI system's list of deliveries. ReplacementRequested: look at the launch before it.",
  },
  ReconcileIsBehind: {
    when: 'In each of three periods of 5 minutes, a CI system did not answer reconcile, or something could not be repaired.',
    means: 'A lost webhook leaves a job waiting, and a surplus agent stays.',
    advice:
      "Reconcile's log has the CI system's own words: usually it is down, throttles davit, or refuses the credential.",
  },
  ClusterIsAway: {
    when: 'In each of two periods of 5 minutes, a cluster, or a namespace in which profiles launch, was disconnected at the end of a probe.',
    means:
      'Launches there wait, or go to another cluster. Connected agents keep working. The objects of ended launches stay there until it ' +
      'is back.',
    advice:
      'GET /clusters/{name}, or davit clusters, has the reason and the words of the last error. Unreachable, TimedOut: look at the API server, ' +
      'its address and its firewall. TLSFailed, Unauthorized, KubeconfigInvalid: renew the kubeconfig in its secret. ' +
      'NamespaceMissing: create the namespace. Forbidden: apply the role of deploy.md again. AdmissionUnavailable: look at the webhook that the error names.',
  },
  CleanUpsFailed: {
    when: 'In each of two periods of 20 minutes, a clean-up failed three times and went to the queue FailedCleanUps.',
    means: 'The sweep asked again for a clean-up that had failed, and it failed again. A slow clean-up does not count.',
    advice:
      "The messages in the queue have the launch ids. Read the records of these launches and clean-up's log. The sweep " +
      'keeps asking. At the end, delete the messages.',
  },
  Undelivered: {
    when: 'The queue Undelivered is not empty.',
    means: 'For a day, EventBridge could not pass the end of an execution to clean-up; or it could not start a sweep.',
    advice:
      "Each message's ERROR_CODE says why. Usually somebody changed the function or its permission by hand: deploy again. " +
      'The next sweep makes up for what was missed. Then delete the messages.',
  },
  EventsNotPublished: {
    when: 'The queue UnpublishedEvents is not empty.',
    means:
      'Changes were not published within 23 hours, and never will be: listeners miss events, and metrics are short.',
    advice:
      "Repair the trouble that publish-events' log names. GET /launches shows the state of the launches. Then delete the messages.",
  },
  EventsAreLate: {
    when: "The function publish-events is more than 5 minutes behind the tables' streams.",
    means: 'Events and metrics of launches come late. Launches themselves are not affected.',
    advice: "Read publish-events' log: it says why it cannot send events. The streams keep them for a day.",
  },
  EventsLost: {
    when: 'An event was not sent, and never will be.',
    means:
      "EventBridge refused it, or davit could not read the change that it describes; or a sweep's event was not sent.",
    advice:
      'The log of publish-events or the sweep says why. GET /launches shows the state of the launches. Report a refusal.',
  },
} as const satisfies Record<string, AlarmText>;

/** The construct id of an alarm. */
export type AlarmId = keyof typeof alarmTexts;

/** Says on an alarm what it means and what to do. */
export function alarmDescription(id: AlarmId): string {
  const { when, means, advice } = alarmTexts[id];
  return `davit: ${when} ${means} What to do: ${advice} More: docs/alarms.md#${id.toLowerCase()}`;
}
