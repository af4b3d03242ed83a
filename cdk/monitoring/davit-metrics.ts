import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, metricDefinitions, metricNamespace } from '../../runtime/metrics/metric-definitions.ts';

/** The metrics that one davit's functions write. */
export class DavitMetrics {
  /** The value of the dimension `service`, which distinguishes this davit from others in the account. */
  readonly serviceName: string;

  constructor(serviceName: string) {
    this.serviceName = serviceName;
  }

  /**
   * Makes one metric: the sum of five minutes where it counts, else the 90th percentile.
   *
   * @param dimensions one of the metric's sets of dimensions, see docs/metrics.md @default the whole deployment
   */
  metric(metricName: MetricName, dimensions: Readonly<Record<string, string>> = {}, options?: MetricOptions): Metric {
    return new Metric({
      namespace: metricNamespace,
      metricName,
      dimensionsMap: { service: this.serviceName, ...dimensions },
      statistic: metricDefinitions[metricName].unit === 'Count' ? Stats.SUM : Stats.p(90),
      ...options,
    });
  }

  /** How many launches reached an outcome: they `connected`, or `failed` or were `terminated` before. */
  launches(outcome: 'connected' | 'failed' | 'terminated', options?: MetricOptions): Metric {
    return this.metric('Launches', { outcome }, options);
  }

  /** How long launches took until their agent had connected. */
  timeToAgent(options?: MetricOptions): Metric {
    return this.metric('TimeToAgent', {}, options);
  }

  /** The Services and Pods that only the sweep removed. */
  sweepLeaks(options?: MetricOptions): Metric {
    return this.metric('SweepLeaks', {}, options);
  }
}
