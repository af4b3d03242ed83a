import * as z from '../zod.ts';

/** The name or ARN of a secret in Secrets Manager. */
export const SecretId = z.string().check(z.minLength(1), z.maxLength(2048));
