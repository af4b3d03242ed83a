/** One metric: what it measures, and its dimensions. */
export interface MetricDefinition {
  unit: 'Count' | 'Milliseconds' | 'Seconds';
  /**
   * The dimension sets of each value, beside `service`; the empty set is the whole deployment. AWS bills every combination
   * of values as a metric of its own. So unbounded values (launches, agents, Pods) are properties of the log line and
   * never dimensions.
   */
  dimensions: readonly (readonly string[])[];
  /** The functions that emit it. */
  by: string;
  means: string;
}

/** The namespace of all metrics. */
export const metricNamespace = 'davit';

/**
 * Every metric, named here and nowhere else. Alarms, dashboard and docs/metrics.md are generated from it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const metricDefinitions = {
  LaunchesRequested: {
    unit: 'Count',
    dimensions: [[], ['profile', 'cluster']],
    by: 'publish-events',
    means: 'Requested launches, each once, however often its job was delivered.',
  },
  Launches: {
    unit: 'Count',
    dimensions: [['outcome'], ['outcome', 'code'], ['outcome', 'profile', 'cluster']],
    by: 'publish-events',
    means:
      'The outcome of each launch: `connected`, or `failed` or `terminated` before its agent connected. ' +
      '`code` is the error code, or `Terminated` when somebody ended the launch.',
  },
  TimeToAgent: {
    unit: 'Milliseconds',
    dimensions: [[], ['profile', 'cluster']],
    by: 'publish-events',
    means: 'From the request for a launch until its agent connected, relaunches included.',
  },
  AgentsEnded: {
    unit: 'Count',
    dimensions: [['outcome']],
    by: 'publish-events',
    means: 'Launches that ended after their agent connected: `terminated` when the job was over, or `failed`.',
  },
  Relaunches: {
    unit: 'Count',
    dimensions: [[], ['code']],
    by: 'publish-events',
    means: 'Launches that began again because infrastructure took their Pod, by error code.',
  },
  ObserverFailures: {
    unit: 'Count',
    dimensions: [[]],
    by: 'clean-up',
    means:
      'Executions that failed after their agent had connected. The agent is left alone; the log says why they failed.',
  },
  CleanUpTime: {
    unit: 'Milliseconds',
    dimensions: [[]],
    by: 'publish-events',
    means: 'From the end of a launch until davit saw that its Service and Pod were gone.',
  },
  EventsNotSent: {
    unit: 'Count',
    dimensions: [[]],
    by: 'publish-events, sweep',
    means: 'Events that davit gives up: EventBridge refused them, or their source could not be read.',
  },
  StepTime: {
    unit: 'Milliseconds',
    dimensions: [['step']],
    by: 'the steps',
    means: 'From the end of the previous step to the end of this one, all attempts and waits included.',
  },
  Waits: {
    unit: 'Count',
    dimensions: [['code']],
    by: 'the steps',
    means: 'Attempts of a step that came too early, by the code of what is waited for; each has looked for 3 to 22 s.',
  },
  Retries: {
    unit: 'Count',
    dimensions: [['code']],
    by: 'the steps, webhook, launches, connect',
    means: 'Attempts and requests that a passing fault made fail, and that are repeated, by error code.',
  },
  Defects: {
    unit: 'Count',
    dimensions: [[]],
    by: 'all functions',
    means: 'Errors without a davit code. There should be none; the log has the stack.',
  },
  HttpAnswers: {
    unit: 'Count',
    dimensions: [['function', 'status']],
    by: 'webhook, launches, connect',
    means: 'Answers of the HTTP API, by function and status. An agent that asks early gets 503.',
  },
  Duplicates: {
    unit: 'Count',
    dimensions: [['function']],
    by: 'webhook, launches',
    means: 'Repeated requests for, and repeated ends of, a launch.',
  },
  SweepFound: {
    unit: 'Count',
    dimensions: [['reason']],
    by: 'sweep',
    means: 'Findings of sweeps, by reason.',
  },
  SweepDone: {
    unit: 'Count',
    dimensions: [['outcome']],
    by: 'sweep',
    means: 'What sweeps did about their findings: `deleted`, `started`, `ended`, `asked`; `failed` is tried again.',
  },
  SweepLeaks: {
    unit: 'Count',
    dimensions: [[]],
    by: 'sweep',
    means: 'Services and Pods that only a sweep removes: their launch is over or unknown.',
  },
  SweepSpared: {
    unit: 'Count',
    dimensions: [['reason']],
    by: 'sweep',
    means: 'Suspects that sweeps left alone, by reason.',
  },
  SweepUndone: {
    unit: 'Count',
    dimensions: [[]],
    by: 'sweep',
    means:
      'What a sweep did not get through: things that were left, and parts that could not be looked at; 1 if it had no ' +
      'time to find out how much that is.',
  },
  Repairs: {
    unit: 'Count',
    dimensions: [['repair']],
    by: 'reconcile',
    means:
      'What reconciling did: `LaunchRequested` and `ReplacementRequested` for queued jobs without an agent, ' +
      '`SurplusRetired` and `IdleRetired` for agents without a job, `RetirementRepeated`, `GhostRemoved` for runners of ' +
      'no launch, `WebhookRedelivered`.',
  },
  RepairedSymptoms: {
    unit: 'Count',
    dimensions: [[]],
    by: 'reconcile',
    means: 'Repairs that say that something went wrong: all but `SurplusRetired` and `IdleRetired`.',
  },
  ReconcileUndone: {
    unit: 'Count',
    dimensions: [[]],
    by: 'reconcile',
    means:
      'What a reconcile could not do: CI systems that did not answer, and parts that failed; 1 if it ran out of time.',
  },
  QueuedJobs: {
    unit: 'Count',
    dimensions: [['ciSystem']],
    by: 'reconcile',
    means: "Queued jobs that a profile takes, in the CI system's own list, once per reconcile.",
  },
  IdleAgents: {
    unit: 'Count',
    dimensions: [['ciSystem']],
    by: 'reconcile',
    means: 'Launching and connected agents that run no job, once per reconcile.',
  },
  OldestQueuedJob: {
    unit: 'Seconds',
    dimensions: [['ciSystem']],
    by: 'reconcile',
    means: 'The age of the oldest queued job that a profile takes. 0 when there is none.',
  },
  LaunchesInFlight: {
    unit: 'Count',
    dimensions: [['status']],
    by: 'sweep',
    means: 'The number of `launching`, `connected` and `cleaning` launches, once per sweep.',
  },
  OldestLaunch: {
    unit: 'Seconds',
    dimensions: [[]],
    by: 'sweep',
    means:
      'How long the slowest launch has been under way: from its request until its agent connects, and again from its ' +
      'end until its clean-up is done. 0 when there is none.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** The name of a metric. */
export type MetricName = keyof typeof metricDefinitions;

/** The values of a metric's dimensions. A set with a missing value is left out. */
export type DimensionsOf<Name extends MetricName> = Partial<
  Record<(typeof metricDefinitions)[Name]['dimensions'][number][number], string>
>;
