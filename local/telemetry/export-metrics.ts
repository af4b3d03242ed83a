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
  /** Takes a line when the receiver begins to refuse metrics, takes them again, or takes a part of them only. */
  report: (line: string) => void;
}

/** Sends metrics until it is disposed of, and a last time then. */
export interface MetricsExport extends AsyncDisposable {
  /** Takes a function's output, in whole lines, and counts the metrics in it. */
  take(output: string): void;
}

const silent = () => undefined;

/** How long one export may take, with its repetitions: the end of davit waits for the last one. */
const patienceMs = 5000;

/**
 * Sends the metrics in the functions' output by OpenTelemetry: OTLP over HTTP, as JSON. The other variables of the
 * exporter hold, such as OTEL_EXPORTER_OTLP_HEADERS.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function exportMetrics(options: MetricsExportOptions): MetricsExport {
  const { url, intervalMs, serviceName, serviceVersion, serviceInstanceId, report } = options;
  const warned = new Set<string>();
  diag.setLogger({
    // What was refused as a whole is reported below.
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

/** Says when the receiver's answers change, and not each time that it refuses. */
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
      this.#report(`metrics: ${this.#url} takes none, davit goes on trying: ${wordsOf(error)}`);
    }
    if (error === undefined && this.#isRefused) this.#report(`metrics: ${this.#url} takes them again`);
    this.#isRefused = error !== undefined;
  }
}

/** Returns the words of an error; one of a host with several addresses has them in its parts. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
