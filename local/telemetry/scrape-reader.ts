import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { type MetricData, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { GaugeTimes } from './gauge-times.ts';
import { withUnitInName } from './prometheus-name.ts';

/**
 * How often the reader reads when nobody scrapes. Whenever another reader of the provider reads, OpenTelemetry keeps a map
 * for this one, for each instrument, until it reads too.
 */
const readIntervalMs = 60_000;

/**
 * Reads metrics as Prometheus does. OpenTelemetry's own `PrometheusExporter` leaves units out of names, and reports a port
 * that is taken to a logger only.
 */
export class ScrapeReader extends MetricReader {
  readonly #gauges: GaugeTimes;
  /** Without labels for the instrumentation's scope, which is always davit, and without times: a scrape has its own. */
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  readonly #reading = setInterval(() => void this.collect(), readIntervalMs).unref();

  constructor(gauges: GaugeTimes) {
    super();
    this.#gauges = gauges;
  }

  /**
   * Returns all metrics in Prometheus' text format 0.0.4.
   *
   * @throws AggregateError when an instrument could not be read
   * @see https://prometheus.io/docs/instrumenting/exposition_formats/
   */
  async page(): Promise<string> {
    const { resourceMetrics, errors } = await this.collect();
    if (errors.length > 0) throw new AggregateError(errors, 'davit could not read its metrics');
    const text = this.#serializer.serialize(inPrometheusTerms(this.#gauges.current(resourceMetrics)));
    return text.endsWith('\n') ? text : `${text}\n`;
  }

  protected override async onForceFlush(): Promise<void> {}

  protected override async onShutdown(): Promise<void> {
    clearInterval(this.#reading);
  }
}

function renamed(metric: MetricData): MetricData {
  return { ...metric, descriptor: withUnitInName(metric.descriptor) };
}

function inPrometheusTerms(metrics: ResourceMetrics): ResourceMetrics {
  return {
    ...metrics,
    scopeMetrics: metrics.scopeMetrics.map((scope) => ({ ...scope, metrics: scope.metrics.map(renamed) })),
  };
}
