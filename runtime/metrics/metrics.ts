import { environment } from '../environment.ts';
import {
  type DimensionsOf,
  type MetricDefinition,
  type MetricName,
  metricDefinitions,
  metricNamespace,
} from './metric-definitions.ts';

/** Further fields of a metric's line, for people who search the logs: ids, and no secrets. */
export type Properties = Readonly<Record<string, string | undefined>>;

/** Takes the values of metrics. */
export interface Metrics {
  put<Name extends MetricName>(
    name: Name,
    value: number,
    dimensions: DimensionsOf<Name>,
    properties?: Properties,
  ): void;
}

/** The dependencies of writing metrics. */
export interface EmfOptions {
  /** The dimension `service`, which distinguishes this davit's metrics from another's. */
  service: () => string;
  /** Takes a line, with its end. */
  write: (line: string) => void;
  nowEpochMs: () => number;
}

/**
 * The key of a line's metadata if its value is zero. CloudWatch knows only `_aws`, and charges for a metric in each hour
 * in which it gets a value: there, a count without a value is zero. Durations have percentiles, in which zeros count.
 */
export const zeroKey = '_zero';

/**
 * Writes each value as a line of CloudWatch's embedded metric format. Does not use Powertools' writer, which logs a
 * warning about dimension sets that share a key, as all of davit's sets do.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function createEmfMetrics({ service, write, nowEpochMs }: EmfOptions): Metrics {
  return {
    put(name, value, dimensions, properties = {}) {
      const { unit, dimensions: sets }: MetricDefinition = metricDefinitions[name];
      const given: Properties = dimensions;
      const complete = sets.filter((set) => set.every((key) => given[key] !== undefined));
      const directive = {
        Namespace: metricNamespace,
        Dimensions: complete.map((set) => ['service', ...set]),
        Metrics: [{ Name: name, Unit: unit }],
      };
      const key = value === 0 && unit !== 'Milliseconds' ? zeroKey : '_aws';
      const line = {
        ...properties,
        ...given,
        service: service(),
        [name]: value,
        [key]: { Timestamp: nowEpochMs(), CloudWatchMetrics: [directive] },
      };
      write(`${JSON.stringify(line)}\n`);
    },
  };
}

/** The functions' metrics, on standard output, which Lambda passes to CloudWatch unchanged. */
export const metrics = createEmfMetrics({
  service: () => environment('POWERTOOLS_SERVICE_NAME'),
  write: (line) => process.stdout.write(line),
  nowEpochMs: Date.now,
});
