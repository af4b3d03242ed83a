import type { Meter } from '@opentelemetry/api';
import { type MetricDefinition, metricNamespace } from '../../runtime/metrics/metric-definitions.ts';
import { type DescribedMetric, describedMetrics } from '../../runtime/metrics/metric-descriptions.ts';
import type { GaugeTimes } from './gauge-times.ts';
import type { MetricValue } from './metric-values.ts';

/** A metric's name and unit in OpenTelemetry. */
export interface InstrumentName {
  /** `davit.time_to_agent` for TimeToAgent. */
  name: string;
  /** A UCUM unit; empty for a count: with `1`, Prometheus would call a gauge a ratio. */
  unit: string;
}

const units = { Count: '', Milliseconds: 'ms', Seconds: 's' } as const satisfies Record<
  MetricDefinition['unit'],
  string
>;

/** The upper bounds of a histogram's buckets, in ms: from a warm cluster's launch to an hour in a queue. */
const bucketsMs = [
  100, 250, 500, 1000, 2500, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
];

/**
 * Returns the name of a metric as OpenTelemetry's conventions have it.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/general/naming/
 */
export function instrumentName({ name, unit }: Pick<DescribedMetric, 'name' | 'unit'>): InstrumentName {
  const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return { name: `${metricNamespace}.${words}`, unit: units[unit] };
}

/** Makes an instrument for each of davit's metrics. @returns a function that records a value */
export function createInstruments(meter: Meter, gauges: Pick<GaugeTimes, 'note'>): (value: MetricValue) => void {
  const recorders = new Map(describedMetrics.map((metric) => [metric.name, recorderOf(meter, metric, gauges)]));
  return ({ name, value, dimensions }) => recorders.get(name)?.(value, dimensions);
}

type Recorder = (value: number, dimensions: MetricValue['dimensions']) => void;

function recorderOf(meter: Meter, metric: DescribedMetric, gauges: Pick<GaugeTimes, 'note'>): Recorder {
  const { name, unit } = instrumentName(metric);
  const options = { unit, description: metric.means };
  switch (metric.kind) {
    case 'counter': {
      const counter = meter.createCounter(name, options);
      return (value, dimensions) => counter.add(value, dimensions);
    }
    case 'gauge': {
      const gauge = meter.createGauge(name, options);
      return (value, dimensions) => {
        gauge.record(value, dimensions);
        gauges.note(name, dimensions);
      };
    }
    case 'histogram': {
      const histogram = meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: bucketsMs } });
      return (value, dimensions) => histogram.record(value, dimensions);
    }
  }
}
