import { readOtlpSettings } from '../../../../local/telemetry/otlp-settings.ts';

const collector = 'http://collector:4318';

test('nothing is sent by default', () => {
  expect(readOtlpSettings(undefined, {})).toBeUndefined();
  expect(
    readOtlpSettings(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_METRIC_EXPORT_INTERVAL: '' }),
  ).toBeUndefined();
});

test.each([
  ['the option', collector, {}, `${collector}/v1/metrics`],
  ['the option, with a path', 'https://grafana.example/otlp/', {}, 'https://grafana.example/otlp/v1/metrics'],
  ['the variable', undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: collector }, `${collector}/v1/metrics`],
  [
    'the variable for metrics, unchanged',
    undefined,
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other', OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector}/in` },
    `${collector}/in`,
  ],
  [
    'the option rather than the variables',
    collector,
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other', OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other/in' },
    `${collector}/v1/metrics`,
  ],
])('the receiver is that of %s', (_of, option, environment, url) => {
  expect(readOtlpSettings(option, environment)).toEqual({ url, intervalMs: 15_000 });
});

test('the interval is that of OpenTelemetry', () => {
  const environment = { OTEL_METRIC_EXPORT_INTERVAL: '60000' };

  expect(readOtlpSettings(collector, environment)).toMatchObject({ intervalMs: 60_000 });
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT: /],
  [{ OTEL_METRIC_EXPORT_INTERVAL: '0' }, /^OTEL_METRIC_EXPORT_INTERVAL: expected milliseconds$/],
  [{ OTEL_METRIC_EXPORT_INTERVAL: '15s' }, /^OTEL_METRIC_EXPORT_INTERVAL: expected milliseconds$/],
])('%o is refused by its name', (environment, message) => {
  expect(() => readOtlpSettings(undefined, environment)).toThrow(message);
});
