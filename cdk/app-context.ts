import * as z from 'zod';
import type { FunctionName } from '../runtime/function-settings.ts';

/** An invalid context. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

const text = z.string().min(1);

const Context = z
  .object({
    config: text.default('davit.yaml'),
    throwAway: z.stringbool().or(z.boolean()).default(false),
    vpcId: text.regex(/^vpc-[0-9a-f]+$/, 'expected vpc- and its number').exactOptional(),
    createConcurrency: z.coerce.number().int().min(1).exactOptional(),
    answerConcurrency: z.coerce.number().int().min(1).exactOptional(),
    domainName: text.exactOptional(),
    certificateArn: text.startsWith('arn:').exactOptional(),
    publicUrl: z.url({ protocol: /^https$/, error: 'expected an https URL' }).exactOptional(),
  })
  .refine(({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined), {
    path: ['domainName'],
    error: 'expected the certificate with it, and the other way round',
  });

/** The values of `cdk deploy -c key=value`. */
export type AppContext = z.infer<typeof Context>;

/**
 * Reads the app's context.
 *
 * @param read returns a key's value; undefined if the user did not give it
 * @param flagOf the user's word for a key @default `-c key`
 * @throws ContextError with a line for each wrong value
 */
export function appContext(
  read: (key: string) => unknown,
  flagOf: (key: string) => string = (key) => `-c ${key}`,
): AppContext {
  const keys = Object.keys(Context.shape);
  const given = Object.fromEntries(
    keys.map((key) => [key, read(key)] as const).filter(([, value]) => value !== undefined),
  );
  const parsed = Context.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ContextError(
    parsed.error.issues.map(({ path, message }) => `${flagOf(path.join('.'))}: ${message}`).join('\n'),
  );
}

/** Returns the concurrency to reserve for the functions that make objects, and for those that answer. */
export function reservedConcurrencyOf({
  createConcurrency,
  answerConcurrency,
}: Pick<AppContext, 'createConcurrency' | 'answerConcurrency'>): Partial<Record<FunctionName, number>> {
  return {
    ...(createConcurrency === undefined
      ? {}
      : { 'create-service': createConcurrency, 'create-pod': createConcurrency }),
    ...(answerConcurrency === undefined ? {} : { webhook: answerConcurrency, connect: answerConcurrency }),
  };
}
