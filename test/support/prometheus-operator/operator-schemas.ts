import { Ajv } from 'ajv';
import prometheusRule from './prometheus-rule.json' with { type: 'json' };
import serviceMonitor from './service-monitor.json' with { type: 'json' };

/** The schemas of the Prometheus operator's objects, by kind. The two files name their source and its licence. */
const schemas: Readonly<Record<string, object>> = { PrometheusRule: prometheusRule, ServiceMonitor: serviceMonitor };

/** Go writes flags into the pattern. */
const regExp = Object.assign(
  (pattern: string, flags: string) =>
    new RegExp(pattern.replace('(?i)', ''), flags + (pattern.includes('(?i)') ? 'i' : '')),
  { code: '' },
);
// Kubernetes' own keywords, and formats that are bounds of numbers.
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, code: { regExp } });

/**
 * Lists what an API server with the Prometheus operator would not accept of an object, or would drop.
 *
 * @returns a line for each problem, with its place
 * @throws Error for a kind that is not the operator's
 */
export function problemsOf(object: { kind: string }): string[] {
  const schema = schemas[object.kind];
  if (schema === undefined) throw new Error(`the Prometheus operator has no ${object.kind}`);
  const validate = ajv.compile(Object(closed(schema)));
  validate(object);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}

/** An API server drops fields that a schema does not have. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...inner, additionalProperties: false }
    : inner;
}
