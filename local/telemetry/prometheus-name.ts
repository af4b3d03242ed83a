import type { MetricDescriptor } from '@opentelemetry/sdk-metrics';
import type { DescribedMetric } from '../../runtime/metrics/metric-descriptions.ts';
import { instrumentName } from './instruments.ts';

/** How Prometheus' names call the units of instruments. */
const unitWords: Readonly<Record<string, string>> = { ms: 'milliseconds', s: 'seconds' };

/**
 * Returns an instrument's descriptor with its unit at the end of its name, as Prometheus names what it receives by OTLP.
 * OpenTelemetry's serializer leaves the unit out, and then the same dashboard would not fit both.
 *
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#metric-metadata-1
 */
export function withUnitInName<Descriptor extends Pick<MetricDescriptor, 'name' | 'unit'>>(
  descriptor: Descriptor,
): Descriptor {
  const word = unitWords[descriptor.unit];
  return word === undefined ? descriptor : { ...descriptor, name: `${descriptor.name}_${word}`, unit: word };
}

/** Returns the name of a metric in Prometheus. A histogram's series end in `_bucket`, `_sum` and `_count` besides. */
export function prometheusName(metric: DescribedMetric): string {
  const { name } = withUnitInName(instrumentName(metric));
  return `${name.replaceAll('.', '_')}${metric.kind === 'counter' ? '_total' : ''}`;
}
