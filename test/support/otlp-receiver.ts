import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { startLoopbackServer } from '../../local/loopback-server.ts';

const Attributes = z
  .array(z.object({ key: z.string(), value: z.object({ stringValue: z.string() }) }))
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue])));
const Point = z.looseObject({
  attributes: Attributes,
  asInt: z.coerce.number().optional(),
  asDouble: z.number().optional(),
  count: z.coerce.number().optional(),
});
const Points = z.object({ dataPoints: z.array(Point) }).optional();
/** @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto */
const Request = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({ name: z.string(), unit: z.string(), sum: Points, gauge: Points, histogram: Points }),
          ),
        }),
      ),
    }),
  ),
});

/** A value of a metric. For a histogram, its count. */
export interface OtlpPoint {
  attributes: Record<string, string>;
  value: number;
}

/** Receives metrics by OTLP over HTTP, as JSON. */
export interface OtlpReceiver extends AsyncDisposable {
  /** The URL that receives metrics. */
  url: string;
  headers: readonly IncomingHttpHeaders[];
  /** The attributes of the resource of each request. */
  resources(): Record<string, string>[];
  /** A metric's points in the last request. */
  points(name: string): OtlpPoint[];
}

/** @param given makes the answer @default accepts all points */
export async function startOtlpReceiver({ status = 200, answer = {} } = {}): Promise<OtlpReceiver> {
  const requests: z.infer<typeof Request>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await json(request);
    const isMeant = request.url === '/v1/metrics';
    headers.push(request.headers);
    if (isMeant) requests.push(Request.parse(body));
    response.writeHead(isMeant ? status : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  };
  const server = await startLoopbackServer((request, response) => void take(request, response));
  return {
    url: `${server.url}/v1/metrics`,
    headers,
    resources: () =>
      requests.flatMap(({ resourceMetrics }) => resourceMetrics.map(({ resource }) => resource.attributes)),
    points: (name) => {
      const metrics = requests
        .at(-1)
        ?.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      const found = (metrics ?? []).filter((metric) => metric.name === name);
      return found
        .flatMap(({ sum, gauge, histogram }) => [sum, gauge, histogram].flatMap((points) => points?.dataPoints ?? []))
        .map(({ attributes, asInt, asDouble, count }) => ({
          attributes,
          value: asInt ?? asDouble ?? count ?? Number.NaN,
        }));
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
