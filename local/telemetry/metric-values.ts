import * as z from 'zod';
import { isMetricName, type MetricName, metricNamespace } from '../../runtime/metrics/metric-definitions.ts';
import { zeroKey } from '../../runtime/metrics/metrics.ts';

/** One value of a metric, as a function wrote it. */
export interface MetricValue {
  name: MetricName;
  value: number;
  /** The values of the dimensions of all of its sets, except `service`. */
  dimensions: Readonly<Record<string, string>>;
}

const Metadata = z.object({
  CloudWatchMetrics: z.array(
    z.object({
      Namespace: z.literal(metricNamespace),
      Dimensions: z.array(z.array(z.string())),
      Metrics: z.array(z.object({ Name: z.string().refine(isMetricName) })),
    }),
  ),
});
const Line = z.looseObject({ _aws: Metadata.optional(), [zeroKey]: Metadata.optional() });

/** Reads the values of davit's metrics in a function's output. Leaves out all other lines. @param output whole lines */
export function readMetricValues(output: string): MetricValue[] {
  // Skips this work for output without metrics: most lines are log lines, which may be long.
  if (!output.includes('"CloudWatchMetrics"')) return [];
  return output.split('\n').flatMap(valuesOf);
}

function valuesOf(line: string): MetricValue[] {
  const { success, data } = Line.safeParse(jsonOf(line));
  if (!success) return [];
  // A zero is a value, too: without it, a gauge would keep the last one.
  const { _aws: charged, [zeroKey]: zero } = data;
  const { CloudWatchMetrics: embedded = [] } = charged ?? zero ?? {};
  return embedded.flatMap(({ Dimensions, Metrics }) => {
    const keys = new Set(Dimensions.flat().filter((key) => key !== 'service'));
    const dimensions = Object.fromEntries([...keys].map((key) => [key, String(data[key])]));
    return Metrics.flatMap(({ Name: name }) => {
      const value = data[name];
      return isMetricName(name) && typeof value === 'number' ? [{ name, value, dimensions }] : [];
    });
  });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
