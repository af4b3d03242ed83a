import { isMetricName, type MetricDefinition, type MetricName, metricDefinitions } from './metric-definitions.ts';

/** What a metric is, for people and for OpenTelemetry. No function needs it. */
export interface MetricDescription {
  /** Whether values add up (`counter`), are durations to compare (`histogram`), or say how it is now (`gauge`). */
  kind: 'counter' | 'histogram' | 'gauge';
  /** The functions that emit it. */
  by: string;
  /** What it measures, in Markdown. */
  means: string;
}

type Describe = (by: string, means: string) => MetricDescription;
const counter: Describe = (by, means) => ({ kind: 'counter', by, means });
const histogram: Describe = (by, means) => ({ kind: 'histogram', by, means });
const gauge: Describe = (by, means) => ({ kind: 'gauge', by, means });

const metricDescriptions: Record<MetricName, MetricDescription> = {
  LaunchesRequested: counter('publish-events', 'Requested launches, each once, however often its job was delivered.'),
  Launches: counter(
    'publish-events',
    'The outcome of each launch: `connected`, or `failed` or `terminated` before its agent connected. ' +
      '`code` is the error code, or `Terminated` when the launch was ended on request.',
  ),
  TimeToAgent: histogram(
    'publish-events',
    'From the request for a launch until its agent connected, relaunches included.',
  ),
  JobQueueTime: histogram(
    'publish-events',
    'The time that people wait: how long a job was queued before an agent ran it, by the clock of the CI system. GitHub ' +
      'and Gitea report whole seconds. Leaves out jobs without a time of queueing.',
  ),
  AgentsEnded: counter(
    'publish-events',
    'Launches that ended after their agent connected: `terminated` when the job was over, or `failed`.',
  ),
  Relaunches: counter(
    'publish-events',
    'Launches that began again because infrastructure took their Pod, by error code.',
  ),
  ObserverFailures: counter(
    'clean-up',
    'Executions that failed after their agent had connected. The agent is left alone; the log says why they failed.',
  ),
  CleanUpTime: histogram(
    'publish-events',
    'From the end of a launch until davit saw that its Service and Pod were gone.',
  ),
  EventsNotSent: counter(
    'publish-events, sweep, reconcile',
    'Events that davit gives up: EventBridge refused them, or their source could not be read.',
  ),
  StepTime: histogram(
    'the steps',
    'From the end of the previous step to the end of this one, all attempts and waits included.',
  ),
  Waits: counter(
    'the steps',
    'Attempts of a step that came too early, by the code of what the step waits for. Each attempt looked for 3 to 22 s.',
  ),
  Retries: counter(
    'the steps, webhook, launches, connect',
    'Attempts and requests that failed for a temporary reason and will be repeated, by error code.',
  ),
  Defects: counter('all functions', 'Errors without a davit code. There should be none; the log has the stack.'),
  HttpAnswers: counter(
    'webhook, launches, clusters, connect',
    'Answers of the HTTP API, by function and status. An agent that asks early gets 503.',
  ),
  Duplicates: counter('webhook, launches', 'Repeated requests for, and repeated ends of, a launch.'),
  JobsRefused: counter(
    'webhook',
    'Queued jobs that no profile takes, once per delivery: `NoProfile` by their labels, `Repository` by `repositories`, ' +
      '`Size` by the size that they ask for. GitHub sends the jobs of its own runners, too: `NoProfile`.',
  ),
  SweepFound: counter('sweep', 'Findings of sweeps, by reason.'),
  SweepDone: counter(
    'sweep',
    'The actions of sweeps on their findings: `deleted`, `started`, `ended`, `asked`; the next sweep tries `failed` again.',
  ),
  SweepLeaks: counter('sweep', 'Services and Pods that only a sweep removes: their launch is over or unknown.'),
  SweepSpared: counter('sweep', 'Suspicious objects and launches that sweeps left alone, by reason.'),
  SweepUndone: counter(
    'sweep',
    'The work that a sweep did not finish: findings that it left, and parts that it could not read; 1 if it had no ' +
      'time to find out how much that is.',
  ),
  Repairs: counter(
    'reconcile',
    'The repairs of reconciling: `LaunchRequested` and `ReplacementRequested` for queued jobs without an agent, ' +
      '`WarmRequested` for warm agents, `WarmPaused` for pools whose warm agents ended without a job, `SurplusRetired` and `IdleRetired` for agents without a job, `RetirementRepeated`, `GhostRemoved` for runners of ' +
      'no launch, `WebhookRedelivered`, `JobRerun` for jobs whose agents infrastructure took, ' +
      '`CompletionMissed` for launches whose job is over, and for jobs that waited for a slot after they were over.',
  ),
  RepairedSymptoms: counter(
    'reconcile',
    'Repairs that say that something went wrong: all but `WarmRequested`, `SurplusRetired` and `IdleRetired`.',
  ),
  ReconcileUndone: counter(
    'reconcile',
    'The work that a reconcile could not do: CI systems that did not answer, and parts that failed; 1 if it ran out of time.',
  ),
  QueuedJobs: gauge('reconcile', "Queued jobs that a profile takes, in the CI system's own list, once per reconcile."),
  IdleAgents: gauge(
    'reconcile',
    'Launching and connected agents that run no job, warm ones among them, once per reconcile.',
  ),
  OldestQueuedJob: gauge('reconcile', 'The age of the oldest queued job that a profile takes. 0 when there is none.'),
  LimitedJobs: gauge(
    'reconcile',
    'Queued jobs that wait for a slot of a limit, once per reconcile, before it gives slots away. The event ' +
      '`JobsWaitForSlots` says which limit. Waiting is no fault, so no alarm looks at it.',
  ),
  OldestLimitedJob: gauge(
    'reconcile',
    'How long the oldest job that waits for a slot of a limit has been queued. 0 when there is none.',
  ),
  ClustersDisconnected: gauge(
    'probe',
    'Once per probe of a cluster: 1 if it or one of its namespaces is disconnected at the end, else 0.',
  ),
  LaunchesInFlight: gauge('sweep', 'The number of `launching`, `connected` and `cleaning` launches, once per sweep.'),
  OldestLaunch: gauge(
    'sweep',
    'How long the slowest launch has been under way: from its request until its agent connects, and again from its ' +
      'end until its clean-up is done. 0 when there is none.',
  ),
};

/** A metric, with everything that there is to say of it. */
export interface DescribedMetric extends MetricDefinition, MetricDescription {
  name: MetricName;
}

/** Every metric, described. */
export const describedMetrics: readonly DescribedMetric[] = Object.keys(metricDefinitions)
  .filter(isMetricName)
  .map((name) => ({ name, ...metricDefinitions[name], ...metricDescriptions[name] }));
