import type { MetricName } from '../../runtime/metrics/metric-definitions.ts';

/** One line, or one line for each value of the dimensions. */
export interface PanelQuery {
  metric: MetricName;
  by?: readonly string[];
  /** Leaves out the values that lack this dimension. CloudWatch has a metric of its own for each set of dimensions. */
  having?: string;
  /** The percentile of a histogram. Without it, counters are summed, and the highest value of a gauge counts. */
  percentile?: 50 | 95;
  /** The line's name, with dimensions in braces: `queued, {ciSystem}`. */
  label: string;
}

/** A panel of the dashboard. Its queries have one unit. */
export interface Panel {
  title: string;
  description: string;
  queries: readonly PanelQuery[];
}

/** The panels, in the order in which they are read: whether launches work, what waits, what davit does. */
export const panels: readonly Panel[] = [
  {
    title: 'How launches went',
    description: 'Outcomes of launches. Failed ones have a code in the next panel.',
    queries: [{ metric: 'Launches', by: ['outcome'], label: '{outcome}' }],
  },
  {
    title: 'Why launches failed',
    description: 'By error code: errors.md says what to do.',
    queries: [{ metric: 'Launches', by: ['outcome', 'code'], having: 'code', label: '{code}' }],
  },
  {
    title: 'Time to agent',
    description: 'From the request until the agent connected.',
    queries: [
      { metric: 'TimeToAgent', percentile: 50, label: 'p50' },
      { metric: 'TimeToAgent', percentile: 95, label: 'p95' },
    ],
  },
  {
    title: 'Time that jobs were queued',
    description: 'By the clock of the CI system.',
    queries: [
      { metric: 'JobQueueTime', percentile: 50, label: 'p50' },
      { metric: 'JobQueueTime', percentile: 95, label: 'p95' },
    ],
  },
  {
    title: 'Launches in flight',
    description: 'By status, once a minute.',
    queries: [{ metric: 'LaunchesInFlight', by: ['status'], label: '{status}' }],
  },
  {
    title: 'Queued jobs and idle agents',
    description: 'By CI system, once a minute.',
    queries: [
      { metric: 'QueuedJobs', by: ['ciSystem'], label: 'queued, {ciSystem}' },
      { metric: 'IdleAgents', by: ['ciSystem'], label: 'idle, {ciSystem}' },
    ],
  },
  {
    title: 'The oldest queued job, the slowest launch',
    description: 'Both should be minutes.',
    queries: [
      { metric: 'OldestQueuedJob', by: ['ciSystem'], label: 'job, {ciSystem}' },
      { metric: 'OldestLaunch', label: 'launch' },
    ],
  },
  {
    title: 'Time of each step',
    description: 'p95, waits included.',
    queries: [{ metric: 'StepTime', by: ['step'], percentile: 95, label: '{step}' }],
  },
  {
    title: 'Clusters that are disconnected',
    description: '1 while a cluster is away.',
    queries: [{ metric: 'ClustersDisconnected', by: ['cluster'], label: '{cluster}' }],
  },
  {
    title: 'What waits and what is repeated',
    description: 'By code.',
    queries: [
      { metric: 'Waits', by: ['code'], label: 'waits, {code}' },
      { metric: 'Retries', by: ['code'], label: 'repeated, {code}' },
    ],
  },
  {
    title: 'Answers of the API',
    description: 'By function and status. Agents that ask early get 503.',
    queries: [{ metric: 'HttpAnswers', by: ['function', 'status'], label: '{function} {status}' }],
  },
  {
    title: 'Repairs and leaks',
    description: 'What reconciling and sweeping put right.',
    queries: [
      { metric: 'Repairs', by: ['repair'], label: '{repair}' },
      { metric: 'SweepLeaks', label: 'removed by the sweep' },
      { metric: 'Defects', label: 'defects' },
    ],
  },
];
