import { runSimulation } from '@cloud-copilot/iam-simulate';
import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { LOCAL_ACCOUNT_ID } from '../../local/gateway/local-caller.ts';
import { propertiesOf } from './synthesise.ts';

/** Resolves `Ref` and `Fn::GetAtt` of a resource to their values after deployment. */
export type Deployed = (logicalId: string, attribute: string | undefined) => string;

const oneOrMore = z.union([z.array(z.string()), z.string().transform((value) => [value])]);

const Statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMore,
  Resource: oneOrMore,
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});
/** A statement of a policy, with every reference resolved. */
export type Statement = z.infer<typeof Statement>;

const Policy = z.object({
  Roles: z.array(z.object({ Ref: z.string() })),
  PolicyDocument: z.object({ Statement: z.array(z.unknown()) }),
});

/** Reads a role's inline policies: another test proves that there are no others. */
export function statementsOf(template: Template, roleId: string, deployed: Deployed): Statement[] {
  return propertiesOf(template, 'AWS::IAM::Policy')
    .map((properties) => Policy.parse(properties))
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === roleId))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map((statement) => Statement.parse(resolve(statement, deployed)));
}

/** An AWS call, in IAM's terms. */
export interface Asked {
  action: string;
  /** An ARN. */
  resource: string;
  /** The condition keys of the request. @default none */
  context?: Readonly<Record<string, string | string[]>>;
}

/** The policy that CDK gives every key: without it, no role's policy allows anything on a key. */
const accountOfKey = {
  Version: '2012-10-17',
  Statement: {
    Effect: 'Allow',
    Principal: { AWS: `arn:aws:iam::${LOCAL_ACCOUNT_ID}:root` },
    Action: 'kms:*',
    Resource: '*',
  },
};

/**
 * Whether a role's policies allow an action on a resource of the same account.
 *
 * @throws Error when the simulator refuses the question: an unknown action, a resource that the action does not
 * support, or an invalid statement
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export async function isAllowed(
  statements: readonly Statement[],
  { action, resource, context = {} }: Asked,
): Promise<boolean> {
  const simulated = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${LOCAL_ACCOUNT_ID}:role/davit`,
        action,
        resource: { resource, accountId: LOCAL_ACCOUNT_ID },
        contextVariables: context,
      },
      identityPolicies: [{ name: 'inline', policy: { Version: '2012-10-17', Statement: statements } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      ...(action.startsWith('kms:') ? { resourcePolicy: accountOfKey } : {}),
    },
    {},
  );
  if (simulated.resultType === 'error') {
    throw new Error(`${action} on ${resource} cannot be simulated: ${JSON.stringify(simulated.errors)}`);
  }
  return simulated.overallResult === 'Allowed';
}

const Intrinsic = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
]);

/** Resolves every intrinsic function in a value. An unknown one stays, and makes the statement invalid. */
function resolve(value: unknown, deployed: Deployed): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => resolve(item, deployed));
  if (typeof value !== 'object' || value === null) return value;
  const { data } = Intrinsic.safeParse(value);
  if (data === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, deployed)]));
  }
  if ('Ref' in data) return deployed(data.Ref, undefined);
  if ('Fn::GetAtt' in data) return deployed(...data['Fn::GetAtt']);
  const [separator, parts] = data['Fn::Join'];
  return parts.map((part) => resolve(part, deployed)).join(separator);
}
