/** One metric: what it counts or measures, and by what it can be looked at. */
export interface MetricDefinition {
  unit: 'Count' | 'Milliseconds' | 'Seconds';
  /**
   * The sets of dimensions that each value is put under, beside `service`; the empty set is all of the deployment. Every
   * combination of values is a metric of its own, and is paid for: what has no end (launches, agents, Pods) is a
   * property of the log line and never a dimension.
   */
  dimensions: readonly (readonly string[])[];
  /** The functions that emit it. */
  by: string;
  means: string;
}

/** The namespace of all metrics. */
export const metricNamespace = 'davit';

/**
 * Every metric, the one place where they are named. Alarms, dashboard and docs/metrics.md are made of it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const metricDefinitions = {
  LaunchesRequested: {
    unit: 'Count',
    dimensions: [[], ['profile', 'cluster']],
    by: 'announce',
    means: 'Launches that were asked for, each once, however often its job was delivered.',
  },
  Launches: {
    unit: 'Count',
    dimensions: [['outcome'], ['outcome', 'code'], ['outcome', 'profile', 'cluster']],
    by: 'announce',
    means:
      'What came of launches, each once: `connected`, or `failed` or `terminated` before their agent had connected. ' +
      '`code` is the error’s, and `Terminated` when somebody ended the launch.',
  },
  TimeToAgent: {
    unit: 'Milliseconds',
    dimensions: [[], ['profile', 'cluster']],
    by: 'announce',
    means: 'From when a launch was asked for until its agent had connected, relaunches included.',
  },
  AgentsEnded: {
    unit: 'Count',
    dimensions: [['outcome']],
    by: 'announce',
    means: 'Launches that ended after their agent had connected: `terminated` when the job was over, or `failed`.',
  },
  Relaunches: {
    unit: 'Count',
    dimensions: [[], ['code']],
    by: 'announce',
    means: 'Launches that were begun again because infrastructure took their Pod, by the error code that says how.',
  },
  CleanUpTime: {
    unit: 'Milliseconds',
    dimensions: [[]],
    by: 'announce',
    means: 'From when a launch was over until its Service and its Pod were seen to be gone.',
  },
  EventsNotSent: {
    unit: 'Count',
    dimensions: [[]],
    by: 'announce, sweep',
    means: 'Events that will not be sent any more: EventBridge refused them, or what they tell of could not be read.',
  },
  StepTime: {
    unit: 'Milliseconds',
    dimensions: [['step']],
    by: 'the steps',
    means: 'From when the step before was done until this one was, all of its attempts and waits included.',
  },
  Waits: {
    unit: 'Count',
    dimensions: [['code']],
    by: 'the steps',
    means: 'Attempts of a step that came too early, by the code of what is waited for; each has waited up to 20 s.',
  },
  Retries: {
    unit: 'Count',
    dimensions: [['code']],
    by: 'the steps, webhook, launches, connect',
    means: 'Attempts and requests that something on the way made fail and that are repeated, by error code.',
  },
  Defects: {
    unit: 'Count',
    dimensions: [[]],
    by: 'all functions',
    means: 'Errors that davit has no code for. There should be none; the log has the stack.',
  },
  HttpAnswers: {
    unit: 'Count',
    dimensions: [['function', 'status']],
    by: 'webhook, launches, connect',
    means: 'Answers of the HTTP API, by function and status. An agent that asks early is answered 503.',
  },
  Duplicates: {
    unit: 'Count',
    dimensions: [['function']],
    by: 'webhook, launches',
    means: 'Requests for, and ends of, launches that were asked for, or ended, before.',
  },
  SweepFound: {
    unit: 'Count',
    dimensions: [['reason']],
    by: 'sweep',
    means: 'Things that a sweep had to do something about, by reason.',
  },
  SweepDone: {
    unit: 'Count',
    dimensions: [['outcome']],
    by: 'sweep',
    means: 'What sweeps did about what they found: `deleted`, `started`, `ended`, `asked`; `failed` is tried again.',
  },
  SweepLeaks: {
    unit: 'Count',
    dimensions: [[]],
    by: 'sweep',
    means: 'Services and Pods that nobody else would have removed: of launches that are over, or that nobody knows.',
  },
  SweepSpared: {
    unit: 'Count',
    dimensions: [['reason']],
    by: 'sweep',
    means: 'Things that looked as if nobody needed them and were left alone, by reason.',
  },
  SweepUndone: {
    unit: 'Count',
    dimensions: [[]],
    by: 'sweep',
    means:
      'What a sweep did not get through: things that were left, and parts that could not be looked at; 1 if it had no ' +
      'time to find out how much that is.',
  },
  LaunchesInFlight: {
    unit: 'Count',
    dimensions: [['status']],
    by: 'sweep',
    means: 'How many launches are `launching`, `connected` and `cleaning`, once a sweep.',
  },
  OldestLaunch: {
    unit: 'Seconds',
    dimensions: [[]],
    by: 'sweep',
    means:
      'How long the slowest launch is under way: since it was asked for, until its agent has connected; and again ' +
      'since it was over, until it is cleaned up. 0 when there is none.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** The name of a metric. */
export type MetricName = keyof typeof metricDefinitions;

/** The values of a metric's dimensions; a set of which one is not given is left out. */
export type DimensionsOf<Name extends MetricName> = Partial<
  Record<(typeof metricDefinitions)[Name]['dimensions'][number][number], string>
>;
