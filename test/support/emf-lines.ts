import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { zeroKey } from '../../runtime/metrics/metrics.ts';

const Metadata = z.strictObject({
  Timestamp: z.int().positive(),
  CloudWatchMetrics: z.tuple([
    z.strictObject({
      Namespace: z.literal('davit'),
      Dimensions: z.array(z.array(z.string()).min(1).max(30)).min(1),
      Metrics: z.tuple([z.strictObject({ Name: z.string(), Unit: z.enum(['Count', 'Milliseconds', 'Seconds']) })]),
    }),
  ]),
});

/** One value of a metric, as a function's log line has it. */
export interface EmfPoint {
  /** Says whether CloudWatch reads it, and charges for it. */
  isCharged: boolean;
  functionName: string;
  name: string;
  value: number;
  /** The dimensions of each set, without `service`. */
  dimensions: Record<string, string>[];
  properties: Record<string, unknown>;
}

/** Reads the metrics in the functions' logs. @throws ZodError for a line that CloudWatch would misread */
export async function readMetrics(stateDirectory: string): Promise<EmfPoint[]> {
  const directory = join(stateDirectory, 'logs');
  const points: EmfPoint[] = [];
  for (const fileName of (await readdir(directory)).sort()) {
    const lines = (await readFile(join(directory, fileName), 'utf8')).split('\n');
    for (const line of lines.filter((text) => text.includes('"CloudWatchMetrics"'))) {
      points.push(pointOf(fileName.replace('.log', ''), JSON.parse(line)));
    }
  }
  return points;
}

function pointOf(functionName: string, line: unknown): EmfPoint {
  const { _aws, [zeroKey]: zero, ...properties } = z.record(z.string(), z.unknown()).parse(line);
  const [{ Dimensions, Metrics }] = Metadata.parse(_aws ?? zero).CloudWatchMetrics;
  const name = Metrics[0].Name;
  const dimensions = Dimensions.map((set) => {
    const values = z.record(z.string(), z.string()).parse(Object.fromEntries(set.map((key) => [key, properties[key]])));
    const { service: _service, ...rest } = z.looseObject({ service: z.string().min(1) }).parse(values);
    return z.record(z.string(), z.string()).parse(rest);
  });
  return {
    isCharged: _aws !== undefined,
    functionName,
    name,
    value: z.number().parse(properties[name]),
    dimensions,
    properties,
  };
}

const lookMs = 100;
const patienceMs = 20_000;

/** Reads the metrics until there are this many. A function's log arrives shortly after its answer. */
export async function untilMetrics(
  stateDirectory: string,
  isMeant: (point: EmfPoint) => boolean,
  count: number,
): Promise<EmfPoint[]> {
  const over = AbortSignal.timeout(patienceMs);
  for (;;) {
    const points = (await readMetrics(stateDirectory)).filter(isMeant);
    if (points.length >= count || over.aborted) return points;
    await sleep(lookMs);
  }
}
