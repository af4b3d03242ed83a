import * as z from 'zod';

/** Where the metrics go. */
export interface OtlpSettings {
  /** The URL that takes metrics, with its path. */
  url: string;
  intervalMs: number;
}

/** The URL in `--otlp` and OTEL_EXPORTER_OTLP_ENDPOINT; davit appends `/v1/metrics`. */
export const OtlpUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' });

/** Grafana expects a value every 15 s, unless its data source says otherwise. */
const defaultIntervalMs = 15_000;

const Environment = z.object({
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: OtlpUrl.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: OtlpUrl.optional(),
  OTEL_METRIC_EXPORT_INTERVAL: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'expected milliseconds')
    .transform(Number)
    .optional(),
});

/**
 * Reads where to send metrics by OpenTelemetry.
 *
 * @param option the URL of `--otlp`, which comes before the environment's
 * @returns undefined when neither the option nor the environment asks for it
 * @throws Error naming a malformed variable
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function readOtlpSettings(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): OtlpSettings | undefined {
  // An empty variable of OpenTelemetry counts as absent.
  const set = Object.entries(environment).filter(([, value]) => value !== '');
  const { success, data, error } = Environment.safeParse(Object.fromEntries(set));
  if (!success) throw new Error(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  const base = option ?? data.OTEL_EXPORTER_OTLP_ENDPOINT;
  const own = option === undefined ? data.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT : undefined;
  const url = own ?? (base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/metrics`);
  return url === undefined ? undefined : { url, intervalMs: data.OTEL_METRIC_EXPORT_INTERVAL ?? defaultIntervalMs };
}
