import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { resourcesOf } from './synthesise.ts';

/** A statement of a policy, with every reference resolved. */
export interface Statement {
  effect: 'Allow' | 'Deny';
  actions: string[];
  resources: string[];
  conditions: Record<string, Record<string, string>>;
}

/** Gives what a resource of the template is called once it is deployed: what `Ref` and `Fn::GetAtt` of it come to. */
export type Deployed = (logicalId: string, attribute: string | undefined) => string;

const oneOrMore = z.union([z.array(z.unknown()), z.unknown().transform((value) => [value])]);

const Policy = z.object({
  Roles: z.array(z.object({ Ref: z.string() })),
  PolicyDocument: z.object({
    Statement: z.array(
      z.strictObject({
        Sid: z.string().optional(),
        Effect: z.enum(['Allow', 'Deny']),
        Action: oneOrMore,
        Resource: oneOrMore,
        Condition: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
      }),
    ),
  }),
});

/** Reads the policies of a role. Only inline ones are read: a test proves that there are no others. */
export function statementsOf(template: Template, roleId: string, deployed: Deployed): Statement[] {
  const text = (value: unknown) => resolve(value, deployed);
  return [...resourcesOf(template, 'AWS::IAM::Policy').values()]
    .map(({ Properties }) => Policy.parse(Properties))
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === roleId))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map(({ Effect, Action, Resource, Condition }) => ({
      effect: Effect,
      actions: Action.map(text),
      resources: Resource.map(text),
      conditions: mapValues(Condition, (pairs) => mapValues(pairs, text)),
    }));
}

/**
 * Says whether policies allow an action on a resource, as IAM does within one account: what is not allowed is refused,
 * and what is denied is refused whatever allows it.
 *
 * @param context the request's condition keys @default none
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function isAllowed(
  statements: readonly Statement[],
  { action, resource }: { action: string; resource: string },
  context: Readonly<Record<string, string>> = {},
): boolean {
  const applying = statements.filter((statement) => applies(statement, action, resource, context));
  return applying.length > 0 && applying.every(({ effect }) => effect === 'Allow');
}

/** Says whether a statement is about an action on a resource. */
export function applies(
  { actions, resources, conditions }: Statement,
  action: string,
  resource: string,
  context: Readonly<Record<string, string>> = {},
): boolean {
  return (
    actions.some((pattern) => isLike(pattern.toLowerCase(), action.toLowerCase())) &&
    resources.some((pattern) => isLike(pattern, resource)) &&
    Object.entries(conditions).every(([operator, pairs]) =>
      Object.entries(pairs).every(([key, wanted]) => holds(operator, wanted, context[key])),
    )
  );
}

function holds(operator: string, wanted: string, given: string | undefined): boolean {
  if (operator === 'Null') return (given === undefined) === (wanted === 'true');
  if (operator === 'StringEquals') return given === wanted;
  throw new Error(`this evaluator does not know the condition operator ${operator}`);
}

/** `*` stands for any characters, `?` for one. */
function isLike(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`).test(text);
}

const Intrinsic = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
]);

/** @throws ZodError for an intrinsic function that is none of those in davit's policies */
function resolve(value: unknown, deployed: Deployed): string {
  if (typeof value === 'string') return value;
  const intrinsic = Intrinsic.parse(value);
  if ('Ref' in intrinsic) return deployed(intrinsic.Ref, undefined);
  if ('Fn::GetAtt' in intrinsic) return deployed(...intrinsic['Fn::GetAtt']);
  const [separator, parts] = intrinsic['Fn::Join'];
  return parts.map((part) => resolve(part, deployed)).join(separator);
}

function mapValues<From, To>(record: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)] as const));
}
