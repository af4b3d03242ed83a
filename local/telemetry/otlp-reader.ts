import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { type MetricReader, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { GaugeTimes } from './gauge-times.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import { wordsOf } from './words-of.ts';

/**
 * How long one export may take, with its repetitions. It is short, because davit waits for the last export before it
 * ends.
 */
export const patienceMs = 5000;

/**
 * Makes the reader that sends metrics by OpenTelemetry: OTLP over HTTP, as JSON.
 *
 * @param report receives a line when the receiver begins to refuse metrics, and when it accepts them again
 */
export function createOtlpReader(
  { url, intervalMs }: OtlpSettings,
  gauges: GaugeTimes,
  report: (line: string) => void,
): MetricReader {
  const exporter = new ReportingExporter(url, gauges, report);
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: intervalMs });
}

/** Sends gauges that are current, and reports when the receiver's answers change, and not each refusal. */
class ReportingExporter extends OTLPMetricExporter {
  readonly #url: string;
  readonly #gauges: GaugeTimes;
  readonly #report: (line: string) => void;
  #isRefused = false;

  constructor(url: string, gauges: GaugeTimes, report: (line: string) => void) {
    super({ url, timeoutMillis: patienceMs });
    this.#url = url;
    this.#gauges = gauges;
    this.#report = report;
  }

  override export(...[metrics, done]: Parameters<PushMetricExporter['export']>): void {
    super.export(this.#gauges.current(metrics), (result) => {
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
