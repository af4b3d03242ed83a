import { prometheusName } from '../local/telemetry/prometheus-name.ts';
import { metricNamespace } from '../runtime/metrics/metric-definitions.ts';
import { type DescribedMetric, describedMetrics } from '../runtime/metrics/metric-descriptions.ts';

/** Writes the document of the metrics, from their table. */
export function metricDocs(): string {
  return [
    '# Metrics',
    '',
    '<!-- Written by scripts/write-docs.ts from runtime/metrics: change it there. -->',
    '',
    `All metrics are in the namespace \`${metricNamespace}\`. All have the dimension \`service\`, the path of the \`Davit\` construct`,
    '(`Davit/Davit` in the stack of this repository). It distinguishes two davits in one account. The functions write metrics',
    'to their logs in the embedded metric format, and CloudWatch extracts them. Each log line has the ids of its launch,',
    "agent and request as properties: search the logs to find a metric's launches.",
    '',
    'davit emits each value once for every set of dimensions in the table. CloudWatch counts and bills each combination of',
    'dimension values as one metric. Launches and agents are never dimensions.',
    '',
    "davit does not count what AWS already counts: executions, the functions' invocations, durations and throttles, the",
    "API's 4xx and 5xx. A step that waits or must be repeated ends its invocation with an error, because Step Functions",
    "repeats only errors. So for the steps, look at `Waits`, `Retries` and `Defects`, and not at Lambda's `Errors`.",
    '',
    '| metric | kind | unit | by | says | from |',
    '|---|---|---|---|---|---|',
    ...describedMetrics.map(
      ({ name, kind, unit, dimensions, means, by }) =>
        `| \`${name}\` | ${kind} | ${unit} | ${dimensions.map(wordsOf).join('; ')} | ${means} | ${by} |`,
    ),
    '',
    '## By OpenTelemetry',
    '',
    'A local davit can [send them by OpenTelemetry](guides/alerts.md#a-dashboard-without-aws).',
    '`TimeToAgent` is then `davit.time_to_agent`, in `ms`. A value has all of its dimensions as attributes, once. `service` is',
    "the resource attribute `service.name`, and `service.instance.id` is the installation's id.",
    '',
    '## For Prometheus',
    '',
    'A local davit can also [serve them to Prometheus](guides/alerts.md#a-dashboard-without-aws): `davit local',
    '--metrics-listen HOST:PORT`, or `metrics` in [the Helm chart](install-helm.md#metrics-for-prometheus). Names and labels are',
    'those that Prometheus makes of what it gets by OpenTelemetry:',
    '',
    '| metric | in Prometheus | labels |',
    '|---|---|---|',
    ...describedMetrics.map((metric) => `| \`${metric.name}\` | \`${prometheusName(metric)}\` | ${labelsOf(metric)} |`),
    '',
    'A histogram has the series `_bucket`, `_sum` and `_count`. `target_info` has the version and the id of the installation.',
    '',
    '- **Counters** begin at 0 when davit starts, as `rate` and `increase` expect. A counter has a series for each combination of',
    '  labels that has had a value: after a start, most have none.',
    '- **Gauges** are written about once a minute, by a sweep, a reconcile or a probe. A gauge that has not been written for five',
    '  minutes is left out, because nothing says that its value is still true: for example the queue of a CI system that does not',
    '  answer. The series then ends, as if its target were gone.',
    '- **A scrape** shows the values at its time. It begins no work, and asks neither clusters nor CI systems.',
    '',
  ].join('\n');
}

function wordsOf(dimensions: readonly string[]): string {
  return dimensions.length === 0 ? 'all' : dimensions.join(', ');
}

function labelsOf({ dimensions }: DescribedMetric): string {
  return [...new Set(dimensions.flat())].map((key) => `\`${key}\``).join(', ');
}
