import { Dashboard, GraphWidget, type IMetric, MathExpression, Stats, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type MetricName, metricNamespace } from '../../runtime/metrics/metric-definitions.ts';
import type { DavitMetrics } from './davit-metrics.ts';
import type { Monitored } from './monitored.ts';

/** The dashboard: whether launches work, where their time goes, and what davit itself does. */
export class DavitDashboard extends Dashboard {
  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id);
    const { metrics, stateMachine } = monitored;
    const { stage } = monitored.api;
    const functions = Object.values(monitored.functions);
    const text = `# ${metrics.serviceName}\nWhat each metric means: docs/metrics.md. What each alarm means: docs/alarms.md.`;
    this.addWidgets(new TextWidget({ markdown: text, width: 24, height: 2 }));
    this.addWidgets(
      graph('Outcomes of launches', [
        metrics.metric('LaunchesRequested'),
        ...(['connected', 'failed', 'terminated'] as const).map((outcome) => metrics.launches(outcome)),
      ]),
      graph(
        'Time to agent',
        [Stats.p(50), Stats.p(90), Stats.p(99)].map((statistic) => metrics.timeToAgent({ statistic })),
      ),
      graph(
        'Jobs: queued until they run',
        [Stats.p(50), Stats.p(90), Stats.p(99)].map((statistic) => metrics.metric('JobQueueTime', {}, { statistic })),
      ),
      graph(
        'Launches in flight',
        ['launching', 'connected', 'cleaning'].map((status) =>
          metrics.metric('LaunchesInFlight', { status }, { statistic: Stats.MAXIMUM, label: status }),
        ),
      ),
    );
    this.addWidgets(
      graph('Failures by error code', [by(metrics, 'Launches', ['outcome', 'code'], 'Sum')]),
      graph('Time of each step (p90)', [by(metrics, 'StepTime', ['step'], 'p90')]),
      graph('Waits and retries', [by(metrics, 'Waits', ['code'], 'Sum'), by(metrics, 'Retries', ['code'], 'Sum')]),
    );
    this.addWidgets(
      graph('Answers', [by(metrics, 'HttpAnswers', ['function', 'status'], 'Sum')]),
      graph('API latency', [
        stage.metricLatency({ statistic: Stats.p(50) }),
        stage.metricLatency({ statistic: Stats.p(99) }),
      ]),
      graph('Relaunches and clean-ups', [
        metrics.metric('Relaunches'),
        metrics.metric('CleanUpTime', {}, { statistic: Stats.p(90) }),
      ]),
    );
    this.addWidgets(
      graph('The sweep', [
        by(metrics, 'SweepFound', ['reason'], 'Sum'),
        metrics.sweepLeaks(),
        metrics.metric('SweepUndone'),
      ]),
      graph('Reconcile', [by(metrics, 'Repairs', ['repair'], 'Sum'), metrics.metric('ReconcileUndone')]),
      graph('The oldest queued job', [by(metrics, 'OldestQueuedJob', ['ciSystem'], 'Maximum')]),
      graph('Jobs that wait for a slot', [metrics.metric('LimitedJobs', {}, { statistic: Stats.MAXIMUM })]),
      graph('The oldest job that waits for a slot', [
        metrics.metric('OldestLimitedJob', {}, { statistic: Stats.MAXIMUM }),
      ]),
      graph('The slowest launch', [metrics.metric('OldestLaunch', {}, { statistic: Stats.MAXIMUM })]),
      graph('Executions', [
        stateMachine.metricStarted(),
        stateMachine.metricSucceeded(),
        stateMachine.metricFailed(),
        stateMachine.metricAborted(),
        stateMachine.metricTimedOut(),
      ]),
    );
    this.addWidgets(
      graph(
        'Functions: duration (p99)',
        functions.map(({ lambda }) => lambda.metricDuration({ statistic: Stats.p(99) })),
      ),
      graph(
        'Functions: throttles',
        functions.map(({ lambda }) => lambda.metricThrottles()),
      ),
      graph('Defects and lost events', [metrics.metric('Defects'), metrics.metric('EventsNotSent')]),
    );
  }
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 });
}

/** Every metric of a name that exists under these dimensions, by their values. */
function by(metrics: DavitMetrics, name: MetricName, dimensions: readonly string[], statistic: string): MathExpression {
  const schema = [metricNamespace, 'service', ...dimensions].join(',');
  const search = `{${schema}} MetricName="${name}" service="${metrics.serviceName}"`;
  return new MathExpression({ expression: `SEARCH('${search}', '${statistic}')`, label: '', usingMetrics: {} });
}
