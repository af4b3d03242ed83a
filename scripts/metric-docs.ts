import { prometheusName } from '../local/telemetry/prometheus-name.ts';
import { type DescribedMetric, describedMetrics } from '../runtime/metrics/metric-descriptions.ts';
import { markdownTable } from './cost/markdown.ts';

/** Writes the tables of the metrics: what each says, and its name for Prometheus. */
export function metricTables(): [all: string, inPrometheus: string] {
  const all = describedMetrics.map(({ name, kind, unit, dimensions, means, by }) => [
    `\`${name}\``,
    kind,
    unit,
    dimensions.map(wordsOf).join('; '),
    means,
    by,
  ]);
  const inPrometheus = describedMetrics.map((metric) => [
    `\`${metric.name}\``,
    `\`${prometheusName(metric)}\``,
    labelsOf(metric),
  ]);
  return [
    markdownTable(['metric', 'kind', 'unit', 'by', 'says', 'from'], all),
    markdownTable(['metric', 'in Prometheus', 'labels'], inPrometheus),
  ];
}

function wordsOf(dimensions: readonly string[]): string {
  return dimensions.length === 0 ? 'all' : dimensions.join(', ');
}

function labelsOf({ dimensions }: DescribedMetric): string {
  return [...new Set(dimensions.flat())].map((key) => `\`${key}\``).join(', ');
}
