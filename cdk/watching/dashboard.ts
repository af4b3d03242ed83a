import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Dashboard, GraphWidget, MathExpression, Stats, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../functions/metrics/metric-definitions.ts';
import { metricNamespace } from '../../functions/metrics/metric-definitions.ts';
import type { Davit } from '../constructs/davit.ts';

/** Makes the dashboard: whether launches work, where their time goes, and what davit itself does. */
export function davitDashboard(davit: Davit): Dashboard {
  const dashboard = new Dashboard(davit, 'Dashboard');
  const { stage } = davit.api;
  const functions = Object.values(davit.functions);
  const text = `# ${davit.serviceName}\nWhat each metric means: docs/metrics.md. What each alarm means: docs/alarms.md.`;
  dashboard.addWidgets(new TextWidget({ markdown: text, width: 24, height: 2 }));
  dashboard.addWidgets(
    graph('What came of launches', [
      davit.metric('LaunchesRequested'),
      ...(['connected', 'failed', 'terminated'] as const).map((outcome) => davit.metricLaunches(outcome)),
    ]),
    graph(
      'Time to agent',
      [Stats.p(50), Stats.p(90), Stats.p(99)].map((statistic) => davit.metricTimeToAgent({ statistic })),
    ),
    graph(
      'Launches in flight',
      ['launching', 'connected', 'cleaning'].map((status) =>
        davit.metric('LaunchesInFlight', { status }, { statistic: Stats.MAXIMUM, label: status }),
      ),
    ),
  );
  dashboard.addWidgets(
    graph('Failures by error code', [by(davit, 'Launches', ['outcome', 'code'], 'Sum')]),
    graph('Time of each step (p90)', [by(davit, 'StepTime', ['step'], 'p90')]),
    graph('Waits and retries', [by(davit, 'Waits', ['code'], 'Sum'), by(davit, 'Retries', ['code'], 'Sum')]),
  );
  dashboard.addWidgets(
    graph('Answers', [by(davit, 'HttpAnswers', ['function', 'status'], 'Sum')]),
    graph('API latency', [
      stage.metricLatency({ statistic: Stats.p(50) }),
      stage.metricLatency({ statistic: Stats.p(99) }),
    ]),
    graph('Relaunches and clean-ups', [
      davit.metric('Relaunches'),
      davit.metric('CleanUpTime', {}, { statistic: Stats.p(90) }),
    ]),
  );
  dashboard.addWidgets(
    graph('The sweep', [
      by(davit, 'SweepFound', ['reason'], 'Sum'),
      davit.metricSweepLeaks(),
      davit.metric('SweepUndone'),
    ]),
    graph('The slowest launch', [davit.metric('OldestLaunch', {}, { statistic: Stats.MAXIMUM })]),
    graph('Executions', [
      davit.stateMachine.metricStarted(),
      davit.stateMachine.metricSucceeded(),
      davit.stateMachine.metricFailed(),
      davit.stateMachine.metricAborted(),
      davit.stateMachine.metricTimedOut(),
    ]),
  );
  dashboard.addWidgets(
    graph(
      'Functions: duration (p99)',
      functions.map(({ lambda }) => lambda.metricDuration({ statistic: Stats.p(99) })),
    ),
    graph(
      'Functions: throttles',
      functions.map(({ lambda }) => lambda.metricThrottles()),
    ),
    graph('Defects and lost events', [davit.metric('Defects'), davit.metric('EventsNotSent')]),
  );
  return dashboard;
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 });
}

/** Every metric of a name that there is under these dimensions, by their values. */
function by(davit: Davit, name: MetricName, dimensions: readonly string[], statistic: string): MathExpression {
  const schema = [metricNamespace, 'service', ...dimensions].join(',');
  const search = `{${schema}} MetricName="${name}" service="${davit.serviceName}"`;
  return new MathExpression({ expression: `SEARCH('${search}', '${statistic}')`, label: '', usingMetrics: {} });
}
