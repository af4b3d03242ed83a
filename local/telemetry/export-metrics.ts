import { diag } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { GaugeTimes } from './gauge-times.ts';
import { createInstruments } from './instruments.ts';
import { readMetricValues } from './metric-values.ts';
import { createOtlpReader, patienceMs } from './otlp-reader.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import { ScrapeReader } from './scrape-reader.ts';
import { type MetricsListen, serveMetrics } from './serve-metrics.ts';
import { wordsOf } from './words-of.ts';

/** The settings of an export. */
export interface MetricsExportOptions {
  /** Where to send metrics by OpenTelemetry; undefined for nowhere. */
  otlp: OtlpSettings | undefined;
  /** Where to serve metrics to Prometheus; undefined for nowhere. */
  listen: MetricsListen | undefined;
  /** The resource: `service.name`, unless the environment has OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES. */
  serviceName: string;
  serviceVersion: string;
  /** Stays the same when davit starts again. */
  serviceInstanceId: string;
  /** Receives a line when the receiver begins to refuse metrics, accepts them again, or accepts only a part of them. */
  report: (line: string) => void;
  nowEpochMs: () => number;
}

/** Exports metrics until the caller disposes of it, and then sends them for a last time. */
export interface MetricsExport extends AsyncDisposable {
  /** Where Prometheus reads them, without the path; undefined when it reads none. */
  url: string | undefined;
  /** Takes a function's output, in whole lines, and counts the metrics in it. */
  take(output: string): void;
}

const silent = () => undefined;

/**
 * Exports the metrics in the functions' output: sends them by OpenTelemetry, serves them to Prometheus, or both. The OTLP
 * exporter's other variables also apply, such as OTEL_EXPORTER_OTLP_HEADERS.
 *
 * @throws Error when davit cannot listen there; then nothing is exported
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export async function exportMetrics(options: MetricsExportOptions): Promise<MetricsExport> {
  const { otlp, listen, serviceName, serviceVersion, serviceInstanceId, report } = options;
  await using started = new AsyncDisposableStack();
  reportWarnings(report);
  started.defer(() => diag.disable());
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': serviceVersion,
    'service.instance.id': serviceInstanceId,
  }).merge(detectResources({ detectors: [envDetector] }));
  const gauges = new GaugeTimes(options.nowEpochMs);
  const sent = otlp === undefined ? undefined : createOtlpReader(otlp, gauges, report);
  const scraped = listen === undefined ? undefined : { reader: new ScrapeReader(gauges), listen };
  const readers = [sent, scraped?.reader].filter((reader) => reader !== undefined);
  const provider = new MeterProvider({ resource, readers });
  started.defer(async () => {
    try {
      await provider.shutdown({ timeoutMillis: patienceMs });
    } catch (error) {
      report(`metrics: ${otlp?.url} has not taken the last ones: ${wordsOf(error)}`);
    }
  });
  const server = scraped && started.use(await serveMetrics(() => scraped.reader.page(), scraped.listen));
  const record = createInstruments(provider.getMeter('davit', serviceVersion), gauges);
  const running = started.move();
  return {
    url: server?.url,
    take: (output) => {
      for (const value of readMetricValues(output)) record(value);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Reports each warning of OpenTelemetry once. The OTLP reader itself reports an export that was refused as a whole. */
function reportWarnings(report: (line: string) => void): void {
  const warned = new Set<string>();
  diag.setLogger({
    error: silent,
    warn: (...words) => {
      const line = `metrics: ${words.join(' ')}`;
      if (!warned.has(line)) report(line);
      warned.add(line);
    },
    info: silent,
    debug: silent,
    verbose: silent,
  });
}
