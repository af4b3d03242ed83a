import * as z from 'zod';
import { labelKeys } from '../domain/names.ts';

const maxEntries = 64;
const maxEnvBytes = 64 * 1024;

const name = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const dnsLabel = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';

/** @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const LabelKey = z
  .string()
  .max(317)
  .regex(new RegExp(`^(${dnsLabel}(\\.${dnsLabel})*/)?${name}$`), 'expected a Kubernetes label key')
  .refine((key) => !key.startsWith('davit.dev/') && !Object.values<string>(labelKeys).includes(key), {
    error: 'davit sets this label itself',
  });

const LabelValue = z.string().regex(new RegExp(`^(${name})?$`), 'expected a Kubernetes label value');

const EnvName = z
  .string()
  .max(256)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable')
  .refine((key) => !key.startsWith('DAVIT_'), { error: 'names with DAVIT_ are davit’s own' });

const EnvValue = z.string().refine((value) => !value.includes('\0'), { error: 'expected no NUL' });

/** The body of `POST /launches`. */
export const LaunchRequestBody = z.strictObject({
  profile: z.string().min(1).max(63),
  /** Any text that names the job, always the same one: the launch's id is made from it. */
  jobId: z
    .string()
    .min(1)
    .max(200)
    // Lone surrogates have no UTF-8 of their own: two ids that differ in nothing else would share a launch.
    .refine((jobId) => jobId.isWellFormed(), { error: 'expected well-formed Unicode' }),
  labels: z
    .record(LabelKey, LabelValue)
    .refine((labels) => Object.keys(labels).length <= maxEntries, { error: `expected at most ${maxEntries} labels` })
    .optional(),
  env: z
    .record(EnvName, EnvValue)
    .refine((env) => Object.keys(env).length <= maxEntries, { error: `expected at most ${maxEntries} variables` })
    .refine((env) => Buffer.byteLength(JSON.stringify(env)) <= maxEnvBytes, {
      error: `expected at most ${maxEnvBytes} bytes in all`,
    })
    .optional(),
  sourceUrl: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
});
export type LaunchRequestBody = z.infer<typeof LaunchRequestBody>;
