import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { createInstruments } from '../../../../local/telemetry/instruments.ts';
import { readMetricValues } from '../../../../local/telemetry/metric-values.ts';
import { describedMetrics } from '../../../../runtime/metrics/metric-descriptions.ts';
import { createEmfMetrics } from '../../../../runtime/metrics/metrics.ts';

/** Records the functions' metrics, and collects the points to export. */
async function exported(output: string): Promise<MetricData[]> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  const record = createInstruments(provider.getMeter('davit'), { note: () => {} });
  for (const value of readMetricValues(output)) record(value);
  await provider.forceFlush();
  return exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
}

function written(put: (metrics: ReturnType<typeof createEmfMetrics>) => void): string {
  let output = '';
  put(createEmfMetrics({ service: () => 'davit-local', write: (line) => (output += line), nowEpochMs: () => 1 }));
  return output;
}

const types = { counter: DataPointType.SUM, gauge: DataPointType.GAUGE, histogram: DataPointType.HISTOGRAM };

describe('each metric of davit arrives, with all of its dimensions', () => {
  test.each(describedMetrics)('$name', async ({ name, kind, dimensions, means }) => {
    const values = Object.fromEntries(dimensions.flat().map((key) => [key, `any ${key}`]));
    const line = written((metrics) => metrics.put(name, 7, values, { launchId: 'github-1-2-1' }));

    const [metric, ...others] = await exported(line);

    expect(others).toEqual([]);
    expect(metric?.descriptor.description).toBe(means);
    expect(metric?.dataPointType).toBe(types[kind]);
    expect(metric?.dataPoints).toHaveLength(1);
    expect(metric?.dataPoints[0]?.attributes).toEqual(values);
    expect(metric?.dataPoints[0]?.value).toEqual(kind === 'histogram' ? expect.objectContaining({ sum: 7 }) : 7);
  });
});

test('a gauge goes back to zero, for which CloudWatch is told nothing', async () => {
  const [metric] = await exported(
    written((functions) => {
      functions.put('QueuedJobs', 5, { ciSystem: 'github' });
      functions.put('QueuedJobs', 0, { ciSystem: 'github' });
    }),
  );

  expect(metric?.dataPoints[0]?.value).toBe(0);
});

test('names and units are those of OpenTelemetry', async () => {
  const metrics = await exported(
    written((functions) => {
      functions.put('LaunchesRequested', 1, { profile: 'linux', cluster: 'east' });
      functions.put('TimeToAgent', 4200, { profile: 'linux', cluster: 'east' });
      functions.put('OldestQueuedJob', 60, { ciSystem: 'github' });
    }),
  );

  expect(metrics.map(({ descriptor: { name, unit } }) => [name, unit])).toEqual([
    ['davit.launches_requested', ''],
    ['davit.time_to_agent', 'ms'],
    ['davit.oldest_queued_job', 's'],
  ]);
});

test('a dimension without a value is left out', async () => {
  const [launches] = await exported(written((functions) => functions.put('Launches', 1, { outcome: 'connected' })));

  expect(launches?.dataPoints[0]?.attributes).toEqual({ outcome: 'connected' });
});

test.each([
  ['a log line', '{"level":"INFO","message":"a \\"_aws\\" of nobody"}\n'],
  ['the end of a line', '"_aws":{"Timestamp":1}}\n'],
  ['a metric of another namespace', written((metrics) => metrics.put('Defects', 1, {})).replace('"davit"', '"theirs"')],
  [
    'a metric that davit does not have',
    written((metrics) => metrics.put('Defects', 1, {})).replaceAll('Defects', 'Bugs'),
  ],
  [
    'a value that is not a number',
    written((metrics) => metrics.put('Defects', 1, {})).replace('"Defects":1', '"Defects":"1"'),
  ],
])('%s is no value', (_what, output) => {
  expect(readMetricValues(`${output}${output}`)).toEqual([]);
});
