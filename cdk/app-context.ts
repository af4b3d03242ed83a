import * as z from 'zod';

/** A context with which the app cannot be made. */
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
    domainName: text.exactOptional(),
    certificateArn: text.startsWith('arn:').exactOptional(),
    publicUrl: z.url({ protocol: /^https$/, error: 'expected an https URL' }).exactOptional(),
  })
  .refine(({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined), {
    path: ['domainName'],
    error: 'expected certificateArn with it, and the other way round',
  });

/** What `cdk deploy -c key=value` tells the app. */
export type AppContext = z.infer<typeof Context>;

/**
 * Reads the app's context.
 *
 * @param read gives a key's value; undefined when it is not given
 * @throws ContextError with a line for each value that is wrong
 */
export function appContext(read: (key: string) => unknown): AppContext {
  const keys = Object.keys(Context.shape);
  const given = Object.fromEntries(
    keys.map((key) => [key, read(key)] as const).filter(([, value]) => value !== undefined),
  );
  const parsed = Context.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ContextError(parsed.error.issues.map(({ path, message }) => `-c ${path.join('.')}: ${message}`).join('\n'));
}
