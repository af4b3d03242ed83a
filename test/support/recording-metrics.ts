import type { MetricName } from '../../runtime/metrics/metric-definitions.ts';
import type { Metrics } from '../../runtime/metrics/metrics.ts';

/** One value of a metric. */
export interface MetricPoint {
  name: MetricName;
  value: number;
  dimensions: Readonly<Record<string, string | undefined>>;
}

/** Records metrics for tests to inspect. */
export class RecordingMetrics implements Metrics {
  readonly points: MetricPoint[] = [];

  put: Metrics['put'] = (name, value, dimensions) => {
    this.points.push({ name, value, dimensions });
  };
}
