import { diag } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { createInstruments } from './instruments.ts';
import { readMetricValues } from './metric-values.ts';
import type { OtlpSettings } from './otlp-settings.ts';

/** The settings of an export. */
export interface MetricsExportOptions extends OtlpSettings {
  /** The resource: `service.name`, unless the environment has OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES. */
  serviceName: string;
  serviceVersion: string;
  /** Stays the same when davit starts again. */
  serviceInstanceId: string;
  /** Receives a line when the receiver begins to refuse metrics, accepts them again, or accepts only a part of them. */
  report: (line: string) => void;
}

/** Sends metrics until the caller disposes of it, and then for a last time. */
export interface MetricsExport extends AsyncDisposable {
  /** Takes a function's output, in whole lines, and counts the metrics in it. */
  take(output: string): void;
}

const silent = () => undefined;

/**
 * How long one export may take, with its repetitions. It is short, because davit waits for the last export before it
 * ends.
 */
const patienceMs = 5000;

/**
 * Sends the metrics in the functions' output by OpenTelemetry: OTLP over HTTP, as JSON. The exporter's other variables
 * also apply, such as OTEL_EXPORTER_OTLP_HEADERS.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function exportMetrics(options: MetricsExportOptions): MetricsExport {
  const { url, intervalMs, serviceName, serviceVersion, serviceInstanceId, report } = options;
  const warned = new Set<string>();
  diag.setLogger({
    // ReportingExporter reports an export that the receiver refused as a whole.
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
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': serviceVersion,
    'service.instance.id': serviceInstanceId,
  }).merge(detectResources({ detectors: [envDetector] }));
  const exporter = new ReportingExporter(url, report);
  const provider = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: intervalMs })],
  });
  const record = createInstruments(provider.getMeter('davit', serviceVersion));
  return {
    take: (output) => {
      for (const value of readMetricValues(output)) record(value);
    },
    [Symbol.asyncDispose]: async () => {
      try {
        await provider.shutdown({ timeoutMillis: patienceMs });
      } catch (error) {
        report(`metrics: ${url} has not taken the last ones: ${wordsOf(error)}`);
      } finally {
        diag.disable();
      }
    },
  };
}

/** Reports when the receiver's answers change, and not each refusal. */
class ReportingExporter extends OTLPMetricExporter {
  readonly #url: string;
  readonly #report: (line: string) => void;
  #isRefused = false;

  constructor(url: string, report: (line: string) => void) {
    super({ url, timeoutMillis: patienceMs });
    this.#url = url;
    this.#report = report;
  }

  override export(...[metrics, done]: Parameters<PushMetricExporter['export']>): void {
    super.export(metrics, (result) => {
      this.#tell(result.error);
      done(result);
    });
  }

  #tell(error: Error | undefined): void {
    if (error !== undefined && !this.#isRefused) {
      this.#report(`metrics: ${this.#url} accepts no metrics, and davit keeps trying: ${wordsOf(error)}`);
    }
    if (error === undefined && this.#isRefused) this.#report(`metrics: ${this.#url} accepts them again`);
    this.#isRefused = error !== undefined;
  }
}

/** Returns the words of an error. The error of a host with several addresses has them in its parts. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
