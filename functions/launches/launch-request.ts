import { wellFormed } from '../../core/well-formed.ts';
import * as z from '../../core/zod.ts';

const maxEntries = 64;
const maxEnvBytes = 64 * 1024;

const name = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const dnsLabel = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';

/**
 * The prefixes that davit or Kubernetes reserves, with all their subdomains. The cluster decides by such labels, so no
 * caller may set them.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
const reservedPrefix = /^([^/]+\.)?(davit\.dev|kubernetes\.io|k8s\.io)\//;

/**
 * The labels under a reserved prefix that Kubernetes recommends to all users, except the two that davit sets.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
 */
const openLabel = /^app\.kubernetes\.io\/(instance|version|component|part-of)$/;

/** @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const LabelKey = z.string().check(
  z.maxLength(317),
  z.regex(new RegExp(`^(${dnsLabel}(\\.${dnsLabel})*/)?${name}$`), 'expected a Kubernetes label key'),
  z.refine((key) => !reservedPrefix.test(key) || openLabel.test(key), {
    error: 'expected no label that davit or Kubernetes reserves',
  }),
);

const LabelValue = z.string().check(z.regex(new RegExp(`^(${name})?$`), 'expected a Kubernetes label value'));

const EnvName = z.string().check(
  z.maxLength(256),
  z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable'),
  z.refine((key) => !key.startsWith('DAVIT_'), {
    error: 'expected no name that starts with DAVIT_: davit reserves them',
  }),
);

const EnvValue = z.string().check(
  wellFormed,
  z.refine((value) => !value.includes('\0'), { error: 'expected no NUL' }),
);

const JobText = z.string().check(z.minLength(1), z.maxLength(200), wellFormed);

/**
 * The header that names a request whose body has no `jobId`.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export const IdempotencyKey = JobText;

/** The body of `POST /launches`. */
export const LaunchRequestBody = z.strictObject({
  profile: z.string().check(z.minLength(1), z.maxLength(63), wellFormed),
  /**
   * Any text that names the job. The launch's id is made from it, so that the same text is the same launch. A request
   * without it has an `Idempotency-Key` in its place.
   */
  jobId: z.optional(JobText),
  labels: z.optional(
    z.record(LabelKey, LabelValue).check(
      z.refine((labels) => Object.keys(labels).length <= maxEntries, {
        error: `expected at most ${maxEntries} labels`,
      }),
    ),
  ),
  env: z.optional(
    z.record(EnvName, EnvValue).check(
      z.refine((env) => Object.keys(env).length <= maxEntries, { error: `expected at most ${maxEntries} variables` }),
      z.refine((env) => Buffer.byteLength(JSON.stringify(env)) <= maxEnvBytes, {
        error: `expected at most ${maxEnvBytes} bytes in all`,
      }),
    ),
  ),
  sourceUrl: z.optional(z.url({ protocol: /^https?$/ }).check(z.maxLength(2048), wellFormed)),
});
export type LaunchRequestBody = z.infer<typeof LaunchRequestBody>;
