import { type MetricDefinition, metricDefinitions } from '../../../../runtime/metrics/metric-definitions.ts';
import { createEmfMetrics } from '../../../../runtime/metrics/metrics.ts';

function makeMetrics() {
  const lines: string[] = [];
  const metrics = createEmfMetrics({
    service: () => 'Davit/Davit',
    write: (line) => lines.push(line),
    nowEpochMs: () => 1_780_308_000_000,
  });
  return { lines, metrics };
}

test('a value is one line of the embedded metric format, under each complete set of dimensions', () => {
  const { lines, metrics } = makeMetrics();

  metrics.put(
    'Launches',
    1,
    { outcome: 'failed', code: 'PodFailed' },
    { launchId: 'github-1-2-1', agentName: undefined },
  );

  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      _aws: {
        Timestamp: 1_780_308_000_000,
        CloudWatchMetrics: [
          {
            Namespace: 'davit',
            Dimensions: [
              ['service', 'outcome'],
              ['service', 'outcome', 'code'],
            ],
            Metrics: [{ Name: 'Launches', Unit: 'Count' }],
          },
        ],
      },
      service: 'Davit/Davit',
      outcome: 'failed',
      code: 'PodFailed',
      launchId: 'github-1-2-1',
      Launches: 1,
    },
  ]);
  expect(lines[0]).toMatch(/^[^\n]+\n$/);
});

test.each([
  ['SweepUndone', 0, '_zero'],
  ['OldestLaunch', 0, '_zero'],
  ['SweepUndone', 1, '_aws'],
  ['CleanUpTime', 0, '_aws'],
] as const)('CloudWatch charges for no count of zero: %s %d has its metadata under %s', (name, value, key) => {
  const { lines, metrics } = makeMetrics();

  metrics.put(name, value, {});

  const line = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({ [name]: value, [key]: { CloudWatchMetrics: [{ Metrics: [{ Name: name }] }] } });
  expect(Object.keys(line).filter((each) => each.startsWith('_'))).toEqual([key]);
});

test('a property never replaces a dimension or the value', () => {
  const { lines, metrics } = makeMetrics();

  metrics.put('Waits', 3, { code: 'QuotaExceeded' }, { code: 'another', Waits: 'many', service: 'theirs', _aws: '{}' });

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    _aws: { CloudWatchMetrics: [{ Namespace: 'davit' }] },
    code: 'QuotaExceeded',
    service: 'Davit/Davit',
    Waits: 3,
  });
});

describe('the table of metrics', () => {
  const table: [string, MetricDefinition][] = Object.entries(metricDefinitions);

  test('has only dimensions with a bounded number of values', () => {
    const keys = new Set(table.flatMap(([, { dimensions }]) => dimensions.flat()));

    expect([...keys].sort()).toEqual([
      'ciSystem',
      'cluster',
      'code',
      'function',
      'outcome',
      'profile',
      'reason',
      'refusal',
      'repair',
      'status',
      'step',
    ]);
  });

  test('puts no metric under the same dimensions twice', () => {
    for (const [, { dimensions }] of table) {
      expect(new Set(dimensions.map((set) => set.toSorted().join(' '))).size).toBe(dimensions.length);
    }
  });
});
