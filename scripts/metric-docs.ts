import { type MetricDefinition, metricDefinitions, metricNamespace } from '../functions/metrics/metric-definitions.ts';

/** Writes the document of the metrics, from their table. */
export function metricDocs(): string {
  const metrics: [string, MetricDefinition][] = Object.entries(metricDefinitions);
  return [
    '# Metrics',
    '',
    '<!-- Written by scripts/write-docs.ts from functions/metrics/metric-definitions.ts: change it there. -->',
    '',
    `All are in the namespace \`${metricNamespace}\`, and all have the dimension \`service\`: the path of the \`Davit\` construct`,
    '(`Davit/Davit` of the stack that comes along), so that two of them in one account are told apart. The functions write',
    'them to their logs in the embedded metric format, and CloudWatch makes metrics of them. Each line has the ids that it',
    'is about (launch, agent, request) as properties: a metric leads to its launches by a search of the logs.',
    '',
    'A value is put under each of its sets of dimensions; every combination of values is one metric to CloudWatch, and costs',
    'as one. Launches and agents are never dimensions.',
    '',
    "What AWS counts by itself is not counted again: executions, the functions' invocations, durations and throttles, the",
    "API's 4xx and 5xx. A step that waits or is tried again ends its invocation with an error, by which Step Functions",
    "knows: of the steps, look at `Waits`, `Retries` and `Defects`, and not at Lambda's `Errors`.",
    '',
    '| metric | unit | by | says | from |',
    '|---|---|---|---|---|',
    ...metrics.map(
      ([name, { unit, dimensions, means, by }]) =>
        `| \`${name}\` | ${unit} | ${dimensions.map(wordsOf).join('; ')} | ${means} | ${by} |`,
    ),
    '',
  ].join('\n');
}

function wordsOf(dimensions: readonly string[]): string {
  return dimensions.length === 0 ? 'all' : dimensions.join(', ');
}
