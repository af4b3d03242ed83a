import { exportMetrics, type MetricsExport } from '../../local/telemetry/export-metrics.ts';
import { type DescribedMetric, describedMetrics } from '../../runtime/metrics/metric-descriptions.ts';
import { createEmfMetrics } from '../../runtime/metrics/metrics.ts';

/** An export of metrics, and where a scrape finds them. */
export interface ServedMetrics extends AsyncDisposable {
  url: string;
  /** Writes values as functions do. */
  write(put: (metrics: ReturnType<typeof createEmfMetrics>) => void): void;
}

/** Serves metrics at any free port of this machine. */
export async function serveWrittenMetrics(
  given: Partial<Parameters<typeof exportMetrics>[0]> = {},
): Promise<ServedMetrics> {
  const metrics: MetricsExport = await exportMetrics({
    otlp: undefined,
    listen: { host: '127.0.0.1', port: 0 },
    serviceName: 'davit-local',
    serviceVersion: '0.1.0',
    serviceInstanceId: '0123abcd',
    report: (line) => {
      throw new Error(line);
    },
    nowEpochMs: Date.now,
    ...given,
  });
  const write = (line: string) => metrics.take(line);
  const functions = createEmfMetrics({ service: () => 'davit-local', write, nowEpochMs: () => 1 });
  return {
    url: `${metrics.url}/metrics`,
    write: (put) => put(functions),
    [Symbol.asyncDispose]: () => metrics[Symbol.asyncDispose](),
  };
}

/** A value for each dimension of a metric. */
export function anyLabels({ dimensions }: Pick<DescribedMetric, 'dimensions'>): Record<string, string> {
  return Object.fromEntries(dimensions.flat().map((key) => [key, `any ${key}`]));
}

/** Writes a value of each metric of davit. */
export function writeEach({ write }: Pick<ServedMetrics, 'write'>): void {
  write((metrics) => {
    for (const metric of describedMetrics) metrics.put(metric.name, 7, anyLabels(metric));
  });
}
