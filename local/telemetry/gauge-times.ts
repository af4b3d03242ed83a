import type { Attributes } from '@opentelemetry/api';
import { DataPointType, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';

/**
 * How long a gauge counts as true after it was written: as long as Prometheus itself shows a series that has ended. Sweeps,
 * reconciles and probes write theirs about once a minute.
 */
const gaugeLifetimeMs = 300_000;

/**
 * Remembers when each gauge was written, so that exports can leave out old values. OpenTelemetry would repeat the last
 * value for ever: the queue of a CI system that has not answered for hours.
 */
export class GaugeTimes {
  readonly #writtenAtEpochMs = new Map<string, number>();
  readonly #nowEpochMs: () => number;

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  /** Notes that a gauge is written now. @param name the instrument's name */
  note(name: string, attributes: Attributes): void {
    this.#writtenAtEpochMs.set(keyOf(name, attributes), this.#nowEpochMs());
  }

  /** Returns the metrics without the gauges that were last written more than five minutes ago. */
  current(metrics: ResourceMetrics): ResourceMetrics {
    return {
      ...metrics,
      scopeMetrics: metrics.scopeMetrics.map((scope) => ({
        ...scope,
        metrics: scope.metrics.flatMap((metric) => this.#currentPoints(metric)),
      })),
    };
  }

  #currentPoints(metric: MetricData): MetricData[] {
    if (metric.dataPointType !== DataPointType.GAUGE) return [metric];
    const since = this.#nowEpochMs() - gaugeLifetimeMs;
    const isCurrent = ({ attributes }: { attributes: Attributes }) =>
      (this.#writtenAtEpochMs.get(keyOf(metric.descriptor.name, attributes)) ?? 0) >= since;
    const dataPoints = metric.dataPoints.filter(isCurrent);
    return dataPoints.length === 0 ? [] : [{ ...metric, dataPoints }];
  }
}

function keyOf(name: string, attributes: Attributes): string {
  const pairs = Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([name, pairs]);
}
