import { metricNamespace } from '../runtime/metrics/metric-definitions.ts';
import { describedMetrics } from '../runtime/metrics/metric-descriptions.ts';

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
    '`TimeToAgent` is then `davit.time_to_agent`, in `ms`, and Prometheus calls it `davit_time_to_agent_milliseconds`. A',
    'value has all of its dimensions as attributes, once. `service` is the resource attribute `service.name`, and',
    "`service.instance.id` is the installation's id.",
    '',
  ].join('\n');
}

function wordsOf(dimensions: readonly string[]): string {
  return dimensions.length === 0 ? 'all' : dimensions.join(', ');
}
