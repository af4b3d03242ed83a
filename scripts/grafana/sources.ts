import { prometheusName } from '../../local/telemetry/prometheus-name.ts';
import { metricNamespace } from '../../runtime/metrics/metric-definitions.ts';
import { type DescribedMetric, describedMetrics } from '../../runtime/metrics/metric-descriptions.ts';
import type { PanelQuery } from './panels.ts';

/** A kind of data source: what a dashboard of davit asks of it. */
export interface Source {
  /** How Grafana names the kind. */
  type: string;
  dashboard: { title: string; uid: string };
  /** The variables by which a reader selects an installation. Each is a Grafana variable without its data source. */
  variables: readonly object[];
  /** Further settings of each panel. */
  panel: object;
  target(query: PanelQuery): object;
}

/** Returns what davit knows of a metric of the dashboard. */
export function describedMetric(query: PanelQuery): DescribedMetric {
  const described = describedMetrics.find(({ name }) => name === query.metric);
  if (described === undefined) throw new Error(`no metric ${query.metric}`);
  return described;
}

const ofCloudWatch = { counter: 'Sum', gauge: 'Maximum', histogram: 'p' } as const;

/** CloudWatch, of a davit on AWS. */
export const cloudwatch: Source = {
  type: 'cloudwatch',
  dashboard: { title: 'davit', uid: 'davit' },
  variables: [
    { name: 'region', refresh: 1, query: 'regions()' },
    {
      name: 'service',
      refresh: 1,
      query: `dimension_values($region, ${metricNamespace}, LaunchesRequested, service)`,
    },
  ],
  panel: {},
  target: (query) => ({
    id: '',
    queryMode: 'Metrics',
    metricQueryType: 0,
    metricEditorMode: 0,
    region: '$region',
    namespace: metricNamespace,
    metricName: query.metric,
    dimensions: { service: '$service', ...Object.fromEntries((query.by ?? []).map((name) => [name, '*'])) },
    matchExact: true,
    statistic: `${ofCloudWatch[describedMetric(query).kind]}${query.percentile ?? ''}`,
    period: '',
    expression: '',
    label: withNames(query.label, (name) => `\${PROP('Dim.${name}')}`),
  }),
};

/** Prometheus, of a davit in one process. */
export const prometheus: Source = {
  type: 'prometheus',
  dashboard: { title: 'davit by OpenTelemetry', uid: 'davit-otel' },
  variables: [
    {
      name: 'service',
      refresh: 2,
      query: { query: 'label_values(davit_launches_in_flight, job)', refId: 'service' },
    },
    {
      name: 'instance',
      refresh: 2,
      query: { query: 'label_values(davit_launches_in_flight{job="$service"}, instance)', refId: 'instance' },
      multi: true,
      includeAll: true,
      allValue: '.*',
      current: { text: 'All', value: '$__all' },
    },
  ],
  panel: { interval: '1m' },
  target: (query) => ({
    editorMode: 'code',
    range: true,
    expr: expressionOf(query),
    legendFormat: withNames(query.label, (name) => `{{${name}}}`),
  }),
};

function withNames(label: string, nameOf: (dimension: string) => string): string {
  return label.replaceAll(/\{(\w+)\}/g, (_braces, dimension: string) => nameOf(dimension));
}

function expressionOf(query: PanelQuery): string {
  const { by = [], having, percentile = 0 } = query;
  const metric = describedMetric(query);
  const filter = having === undefined ? '' : `, ${having}!=""`;
  const selected = (suffix = '') =>
    `${prometheusName(metric)}${suffix}{job="$service", instance=~"$instance"${filter}}`;
  if (metric.kind === 'gauge') return `max${grouped(by)}(${selected()})`;
  if (metric.kind === 'counter') return `sum${grouped(by)}(${growthOf(selected())})`;
  return `histogram_quantile(${percentile / 100}, sum${grouped(['le', ...by])}(${growthOf(selected('_bucket'))}))`;
}

function grouped(labels: readonly string[]): string {
  return labels.length === 0 ? '' : ` by (${labels.join(', ')}) `;
}

/** The growth since the last point, including a series' first value, which `increase` would omit. */
function growthOf(series: string): string {
  return `clamp_min(${series} - (${series} offset $__interval), 0) or ${series}`;
}
