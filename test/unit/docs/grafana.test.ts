import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import { alarmTexts } from '../../../cdk/monitoring/alarm-texts.ts';
import { instrumentName } from '../../../local/telemetry/instruments.ts';
import { prometheusName } from '../../../local/telemetry/prometheus-name.ts';
import { metricNamespace } from '../../../runtime/metrics/metric-definitions.ts';
import { type DescribedMetric, describedMetrics } from '../../../runtime/metrics/metric-descriptions.ts';
import { grafanaDashboard } from '../../../scripts/grafana/dashboard.ts';
import { cloudwatch, prometheus, type Source } from '../../../scripts/grafana/sources.ts';
import { scrape } from '../../support/scrape.ts';
import { serveWrittenMetrics, writeEach } from '../../support/scraped-metrics.ts';

const Target = z.looseObject({
  refId: z.string(),
  region: z.literal('$region'),
  namespace: z.literal(metricNamespace),
  metricName: z.string(),
  dimensions: z.looseObject({ service: z.literal('$service') }),
  matchExact: z.literal(true),
  statistic: z.string(),
  label: z.string(),
});
const Query = z.looseObject({ refId: z.string(), expr: z.string(), legendFormat: z.string() });

function dashboardOf<T extends z.ZodType>(source: Source, target: T) {
  const shape = z.looseObject({
    templating: z.object({ list: z.array(z.looseObject({ name: z.string(), query: z.unknown() })) }),
    panels: z.array(
      z.looseObject({
        title: z.string(),
        fieldConfig: z.looseObject({ defaults: z.looseObject({ unit: z.string() }) }),
        targets: z.array(target).min(1),
      }),
    ),
  });
  return shape.parse(grafanaDashboard(source));
}

const dashboard = dashboardOf(cloudwatch, Target);
const metrics = new Map<string, DescribedMetric>(describedMetrics.map((metric) => [metric.name, metric]));
const units: Readonly<Record<string, string>> = { Count: 'short', Milliseconds: 'ms', Seconds: 's' };
const queries = dashboard.panels.flatMap(({ title, fieldConfig, targets }) =>
  targets.map((target) => ({ title, refId: target.refId, unit: fieldConfig.defaults.unit, target })),
);

describe('each query to CloudWatch uses a metric that davit has', () => {
  test.each(queries)('$title, $refId', ({ target, unit }) => {
    const metric = metrics.get(target.metricName);
    const { service: _service, ...dimensions } = target.dimensions;

    const asked = Object.keys(dimensions).toSorted();
    expect(metric?.dimensions.map((set) => [...set].toSorted())).toContainEqual(asked);
    expect(unit).toBe(units[metric?.unit ?? '']);
    // A percentile of counts is meaningless, and so is a sum of durations.
    expect(target.statistic).toMatch(metric?.unit === 'Milliseconds' ? /^p\d+$/ : /^(Sum|Maximum)$/);
    const shown = Array.from(target.label.matchAll(/PROP\('Dim\.(\w+)'\)/g), ([, name = '']) => name);
    expect(shown.every((name) => asked.includes(name))).toBe(true);
  });
});

test('the dashboard finds the installations by a metric that davit has', () => {
  const { query } = dashboard.templating.list.find(({ name }) => name === 'service') ?? {};
  const [, namespace, name = ''] = /^dimension_values\(\$region, (\w+), (\w+), service\)$/.exec(String(query)) ?? [];

  expect(namespace).toBe(metricNamespace);
  expect(metrics.has(name)).toBe(true);
});

/** The metrics of a scrape that has them all. */
const scraped = await namesOfScrape();
const ends = { counter: '', histogram: '_bucket', gauge: '' };
/** The metrics by the names of their series in Prometheus. */
const prometheusMetrics = new Map(
  describedMetrics.map((metric) => [`${prometheusName(metric)}${ends[metric.kind]}`, metric]),
);

async function namesOfScrape(): Promise<Set<string>> {
  await using served = await serveWrittenMetrics();
  writeEach(served);
  const families = await scrape(served.url);
  return new Set([...families.values()].flatMap(({ samples }) => samples.map(({ name }) => name)));
}

test('a scrape has what Prometheus makes of what davit sends by OTLP', () => {
  // Prometheus appends the unit's word, and then `_total` for counters: https://prometheus.io/docs/guides/opentelemetry/
  const translated = describedMetrics.map((metric) => {
    const { name, unit } = instrumentName(metric);
    const words: Readonly<Record<string, string>> = { ms: '_milliseconds', s: '_seconds', '': '' };
    const total = { counter: '_total', histogram: '_bucket', gauge: '' };
    return `${name.replaceAll('.', '_')}${words[unit]}${total[metric.kind]}`;
  });

  expect([...scraped]).toEqual(expect.arrayContaining(translated));
});

const selected = String.raw`(?<metric>\w+)\{job="\$service", instance=~"\$instance"(?:, (?<filter>\w+)!="")?\}`;
/** The growth since the last point, including a series' first value, which `increase` would omit. */
const grown = String.raw`clamp_min\((?<all>${selected}) - \(\k<all> offset \$__interval\), 0\) or \k<all>`;
const forms: Readonly<Record<DescribedMetric['kind'], RegExp>> = {
  counter: new RegExp(String.raw`^sum(?: by \((?<keys>[\w, ]+)\) )?\(${grown}\)$`),
  gauge: new RegExp(String.raw`^max(?: by \((?<keys>[\w, ]+)\) )?\(${selected}\)$`),
  histogram: new RegExp(String.raw`^histogram_quantile\(0\.\d+, sum by \(le(?:, (?<keys>[\w, ]+))?\) \(${grown}\)\)$`),
};

describe('each query to Prometheus uses a metric of a scrape, in the way that its kind requires', () => {
  const targets = dashboardOf(prometheus, Query).panels.flatMap(({ title, fieldConfig, targets: all }) =>
    all.map((target) => ({ title, refId: target.refId, unit: fieldConfig.defaults.unit, target })),
  );

  test.each(targets)('$title, $refId', ({ target, unit }) => {
    const name = /davit_\w+/.exec(target.expr)?.[0] ?? '';
    const metric = prometheusMetrics.get(name);
    const parts = forms[metric?.kind ?? 'counter'].exec(target.expr)?.groups;

    expect(scraped).toContain(name);
    expect(unit).toBe(units[metric?.unit ?? '']);
    expect(parts?.['metric']).toBe(name);
    const keys = parts?.['keys']?.split(', ') ?? [];
    expect([...keys, undefined]).toContain(parts?.['filter']);
    expect(metric?.dimensions.map((set) => [...set].toSorted())).toContainEqual(keys.toSorted());
    const shown = Array.from(target.legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, key]) => key);
    expect(keys).toEqual(expect.arrayContaining(shown));
  });
});

test('the dashboard for Prometheus finds the installations by a metric that davit sends from its start', () => {
  const asked = prometheus.variables.map((variable) => JSON.stringify(variable));
  const names = asked.flatMap((query) => /davit_\w+/.exec(query) ?? []);

  expect(new Set(names)).toEqual(new Set(['davit_launches_in_flight']));
  expect(prometheusMetrics.get('davit_launches_in_flight')?.by).toBe('sweep');
});

const Rules = z.object({
  groups: z.tuple([z.object({ rules: z.array(z.looseObject({ alert: z.string(), expr: z.string() })) })]),
});
const [{ rules }] = Rules.parse(
  parse(readFileSync(join(rootFolder, 'examples/alerts/prometheus-rules.yaml'), 'utf8')),
).groups;

test.each(rules)('the alert $alert asks for metrics of a scrape, by labels that they have', ({ expr }) => {
  const names = new Set(Array.from(expr.matchAll(/davit_\w+/g), ([name]) => name));
  const by = Array.from(expr.matchAll(/by \(([\w, ]+)\)/g), ([, keys = '']) => keys.split(', '));
  const filters = Array.from(expr.matchAll(/\{([^}]+)\}/g), ([, all = '']) => Array.from(all.matchAll(/(\w+)[=!]/g)));

  expect([...scraped]).toEqual(expect.arrayContaining([...names]));
  const dimensions = [...names].flatMap((name) => prometheusMetrics.get(name)?.dimensions.flat() ?? []);
  expect(names.size).toBeGreaterThan(0);
  expect(['job', 'le', ...dimensions]).toEqual(
    expect.arrayContaining([...by.flat(), ...filters.flat().map(([, key]) => key)]),
  );
});

/** The alarms on AWS that look at AWS's own metrics, or at queues that one process does not have. */
const onAwsOnly = [
  'FunctionsFail',
  'DoorsThrottled',
  'WorkersThrottled',
  'StepsThrottled',
  'PollStopped',
  'CleanUpsFailed',
  'Undelivered',
  'EventsNotPublished',
  'EventsAreLate',
];

test('each alarm on AWS that davit itself has the metrics for has its alert', () => {
  // An alert for a sweep that stops is that for a davit that is silent: the sweep writes the gauge that it looks at.
  const replaced = ['SweepStopped'];
  const expected = Object.keys(alarmTexts).filter((id) => !onAwsOnly.includes(id) && !replaced.includes(id));

  expect(rules.map(({ alert }) => alert).toSorted()).toEqual(
    [...expected, 'IsSilent', 'JobsWait'].map((id) => `Davit${id}`).toSorted(),
  );
});

test('the alerts are those of the guide', () => {
  const guide = readFileSync(join(rootFolder, 'docs/guides/alerts.md'), 'utf8');

  expect(Array.from(guide.matchAll(/^\| `(Davit\w+)`/gm), ([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
});
