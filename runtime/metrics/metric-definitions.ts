/** One metric: its unit and its dimensions. */
export interface MetricDefinition {
  unit: 'Count' | 'Milliseconds' | 'Seconds';
  /**
   * The dimension sets of each value, beside `service`; the empty set is the whole deployment. AWS bills each combination
   * of values as one metric. So unbounded values (launches, agents, Pods) are properties of the log line and never
   * dimensions.
   */
  dimensions: readonly (readonly string[])[];
}

/** The namespace of all metrics. */
export const metricNamespace = 'davit';

/**
 * Every metric. Functions that write metrics carry this table; `describedMetrics` has what people read. Alarms,
 * dashboard and docs/metrics.md are generated from both.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const metricDefinitions = {
  LaunchesRequested: { unit: 'Count', dimensions: [[], ['profile', 'cluster']] },
  Launches: { unit: 'Count', dimensions: [['outcome'], ['outcome', 'code'], ['outcome', 'profile', 'cluster']] },
  TimeToAgent: { unit: 'Milliseconds', dimensions: [[], ['profile', 'cluster']] },
  JobQueueTime: { unit: 'Milliseconds', dimensions: [[], ['profile', 'cluster']] },
  AgentsEnded: { unit: 'Count', dimensions: [['outcome']] },
  Relaunches: { unit: 'Count', dimensions: [[], ['code']] },
  ObserverFailures: { unit: 'Count', dimensions: [[]] },
  CleanUpTime: { unit: 'Milliseconds', dimensions: [[]] },
  EventsNotSent: { unit: 'Count', dimensions: [[]] },
  StepTime: { unit: 'Milliseconds', dimensions: [['step']] },
  Waits: { unit: 'Count', dimensions: [['code']] },
  Retries: { unit: 'Count', dimensions: [['code']] },
  Defects: { unit: 'Count', dimensions: [[]] },
  HttpAnswers: { unit: 'Count', dimensions: [['function', 'status']] },
  Duplicates: { unit: 'Count', dimensions: [['function']] },
  JobsRefused: { unit: 'Count', dimensions: [[], ['refusal']] },
  SweepFound: { unit: 'Count', dimensions: [['reason']] },
  SweepDone: { unit: 'Count', dimensions: [['outcome']] },
  SweepLeaks: { unit: 'Count', dimensions: [[]] },
  SweepSpared: { unit: 'Count', dimensions: [['reason']] },
  SweepUndone: { unit: 'Count', dimensions: [[]] },
  Repairs: { unit: 'Count', dimensions: [['repair']] },
  RepairedSymptoms: { unit: 'Count', dimensions: [[]] },
  ReconcileUndone: { unit: 'Count', dimensions: [[]] },
  QueuedJobs: { unit: 'Count', dimensions: [['ciSystem']] },
  IdleAgents: { unit: 'Count', dimensions: [['ciSystem']] },
  OldestQueuedJob: { unit: 'Seconds', dimensions: [['ciSystem']] },
  LimitedJobs: { unit: 'Count', dimensions: [[]] },
  OldestLimitedJob: { unit: 'Seconds', dimensions: [[]] },
  ClustersDisconnected: { unit: 'Count', dimensions: [[], ['cluster']] },
  LaunchesInFlight: { unit: 'Count', dimensions: [['status']] },
  OldestLaunch: { unit: 'Seconds', dimensions: [[]] },
} as const satisfies Record<string, MetricDefinition>;

/** The name of a metric. */
export type MetricName = keyof typeof metricDefinitions;

/** Says whether a text is the name of a metric. */
export function isMetricName(text: string): text is MetricName {
  return Object.hasOwn(metricDefinitions, text);
}

/** The values of a metric's dimensions. A set with a missing value is left out. */
export type DimensionsOf<Name extends MetricName> = Partial<
  Record<(typeof metricDefinitions)[Name]['dimensions'][number][number], string>
>;
