import type { FunctionLog } from './function-log.ts';
import { outsideOfFunctions } from './function-output.ts';

/** What CloudWatch would make a metric of. */
const isMetric = (line: string): boolean => line.startsWith('{') && line.includes('"CloudWatchMetrics":');

/**
 * Writes the functions' logs to one place, as a container does. Leaves out the lines that are metrics, which Prometheus
 * scrapes or which are sent by OpenTelemetry.
 *
 * @param write takes whole lines
 */
export function openOutputLog(write: (lines: string) => unknown): FunctionLog {
  return {
    write: (_functionName, text) => {
      const kept = text.split(/(?<=\n)/).filter((line) => !isMetric(line));
      if (kept.length > 0) outsideOfFunctions(() => write(kept.join('')));
    },
    close: () => undefined,
  };
}
