/** What an alarm is about, for whoever is woken by it. */
export interface AlarmDefinition {
  /** When it goes off. */
  when: string;
  means: string;
  /** What to do. */
  advice: string;
}

/** Every alarm, by its construct id: the one place where they are named. docs/alarms.md is made of it. */
export const alarmDefinitions = {
  LaunchesFail: {
    when: 'Of at least 5 launches in 15 minutes, more than 10 % failed before their agent had connected.',
    means: 'Jobs wait for agents that do not come.',
    advice:
      'Look at the metric Launches by code: one code that stands out is the cause, and errors.md says what to do about ' +
      'it. GET /launches?status=failed has each launch with the cluster’s own words.',
  },
  AgentsAreLate: {
    when: 'The 90th percentile of TimeToAgent is above 5 minutes for 15 minutes.',
    means: 'Agents come, and late.',
    advice:
      'StepTime says in which step the time goes, and Waits for what. PollHostIP: capacity, an autoscaler or a slow ' +
      'image. AwaitAgent: the agent starts slowly, or cannot reach the API. CreateService, CreatePod: a full quota.',
  },
  LaunchHangs: {
    when: 'For 15 minutes, a launch is under way or being cleaned up for more than an hour; or no sweep tells of any.',
    means: 'A launch waits on and on, a clean-up does not come to its end, or the sweep does not run.',
    advice:
      'GET /launches?status=launching,cleaning shows what it waits for and since when; DELETE /launches/{id} ends it. ' +
      'No data: look at the sweep’s log and at its schedule. Profiles with longer deadlines need a higher threshold.',
  },
  FunctionsFail: {
    when: 'One of webhook, launches, connect, sweep and announce failed: it threw, timed out, or ran out of memory.',
    means: 'These never throw on purpose. What they were asked is repeated: by the caller, the next sweep, the stream.',
    advice: 'Read the function’s log at that time. A time-out: look at the service that it called last.',
  },
  Defects: {
    when: 'A function met an error that davit has no code for.',
    means: 'A launch may have failed with the code Unexpected; a request may have been answered 500.',
    advice: 'The log line “failed unexpectedly” or “unexpected error” has the stack. Report it.',
  },
  DoorsThrottled: {
    when: 'webhook, launches or connect were throttled in each of three periods of 5 minutes.',
    means: 'The account’s Lambda concurrency is used up; agents ask again, GitHub’s deliveries have to be repeated.',
    advice: 'Raise the account’s concurrency, or find what uses it. Failed deliveries: Recent Deliveries, Redeliver.',
  },
  StepsThrottled: {
    when: 'Steps, sweep or announce were throttled in each of three periods of 5 minutes.',
    means: 'Launches are slower: the state machine repeats a step that was throttled six times, and fails it then.',
    advice: 'As for DoorsThrottled; or raise reservedConcurrency, where it is set.',
  },
  ApiFails: {
    when: 'More than 2 % of at least 20 requests in 5 minutes were answered 5xx, twice, early agents not counted.',
    means: 'Webhooks and launches are refused, or agents do not get their answer.',
    advice:
      'HttpAnswers says which function answered what; Retries, which service did not answer. None of it: the access ' +
      'log’s integrationError.',
  },
  SweepFindsLeaks: {
    when: 'The sweep removed, or failed to remove, a Service or a Pod that nobody else would have removed.',
    means: 'Something was left behind and is gone now, or is tried again each minute.',
    advice:
      'The event SweepReported and the sweep’s log name each thing and why. LaunchUnknown: does another davit use the ' +
      'namespace? LaunchOver: look for a clean-up of that launch that failed.',
  },
  SweepIsBehind: {
    when: 'In each of three periods of 5 minutes, a sweep left things, or could not look at some.',
    means: 'What is left behind in a cluster stays there for longer.',
    advice:
      'The sweep’s log says what it could not look at: as a rule, a cluster that cannot be reached. A launch whose ' +
      'record cannot be read is left alone until somebody mends its item in the launches table, or deletes it.',
  },
  CleanUpsFailed: {
    when: 'The queue FailedCleanUps is not empty.',
    means: 'A clean-up failed three times. The sweep asks for it again by itself.',
    advice: 'The message has the launch id: look at its record and at clean-up’s log, then delete the message.',
  },
  Undelivered: {
    when: 'The queue Undelivered is not empty.',
    means: 'EventBridge could not hand an execution’s end to clean-up for a day, or its minute to the sweep.',
    advice:
      'The message’s ERROR_CODE says why: as a rule, the function or its permission was changed by hand; cdk deploy. ' +
      'The sweep does what was missed as soon as it runs: then delete the messages.',
  },
  AnnouncementsFailed: {
    when: 'The queue FailedAnnouncements is not empty.',
    means: 'Changes were not announced within a day, and never will be: listeners lack events, and metrics are short.',
    advice:
      'Mend what announce’s log complains of. GET /launches shows how the launches are; then delete the messages.',
  },
  AnnouncementsAreLate: {
    when: 'The function announce is more than 5 minutes behind the tables’ streams.',
    means: 'Events and metrics of launches come late. Launches themselves are not affected.',
    advice: 'Read announce’s log: it says why events cannot be sent. They are kept for a day.',
  },
  EventsLost: {
    when: 'An event was not sent, and will not be.',
    means: 'EventBridge refused it, or what it tells of could not be read; or the event of a sweep was not taken.',
    advice: 'announce’s or the sweep’s log says why, and GET /launches how the launches are. Report a refusal.',
  },
} as const satisfies Record<string, AlarmDefinition>;

/** The construct id of an alarm. */
export type AlarmId = keyof typeof alarmDefinitions;

/** Says on an alarm what it means and what to do. */
export function alarmDescription(id: AlarmId): string {
  const { when, means, advice } = alarmDefinitions[id];
  return `davit: ${when} ${means} What to do: ${advice} More: docs/alarms.md#${id.toLowerCase()}`;
}
