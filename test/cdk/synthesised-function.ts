import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { propertiesOf, resourcesOf, textOf } from './synthesise.ts';

/** An action that a role may do on a resource; references as `${LogicalId}`. */
export interface Permission {
  action: string;
  resource: string;
}

/** A function in the template. */
export interface SynthesisedFunction {
  logicalId: string;
  timeoutSeconds: number;
  environment: Record<string, string>;
  permissions: Permission[];
}

const FunctionProperties = z.object({
  Description: z.string(),
  Role: z.unknown(),
  Timeout: z.number(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});

/** Reads davit's functions from a template, with the actions that their roles' policies allow. */
export function functionsOf(template: Template): (name: FunctionName) => SynthesisedFunction {
  const functions = new Map<string, SynthesisedFunction>();
  for (const [logicalId, resource] of resourcesOf(template, 'AWS::Lambda::Function')) {
    if (!String(resource.Properties['Description']).startsWith('davit ')) continue;
    const { Description, Role, Timeout, Environment } = FunctionProperties.parse(resource.Properties);
    const variables = Object.entries(Environment.Variables).map(([key, value]) => [key, textOf(value)] as const);
    functions.set(Description.replace(/^davit /, ''), {
      logicalId,
      timeoutSeconds: Timeout,
      environment: Object.fromEntries(variables),
      permissions: permissionsOf(template, textOf(Role)),
    });
  }
  return (name) => {
    const found = functions.get(name);
    if (found === undefined) throw new Error(`the template has no function ${name}`);
    return found;
  };
}

const oneOrMore = z.union([z.array(z.unknown()), z.unknown().transform((value) => [value])]);

const Policy = z.object({
  Roles: z.array(z.unknown()),
  PolicyDocument: z.object({
    Statement: z.array(z.object({ Effect: z.enum(['Allow', 'Deny']), Action: oneOrMore, Resource: oneOrMore })),
  }),
});

/** Reads the actions that a role's policies allow, before denials. @param roleArn in the form of `textOf` */
export function permissionsOf(template: Template, roleArn: string): Permission[] {
  return propertiesOf(template, 'AWS::IAM::Policy')
    .map((properties) => Policy.parse(properties))
    .filter(({ Roles }) => Roles.some((role) => roleArn === textOf(role).replace('}', '.Arn}')))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action, Resource }) =>
      Action.flatMap((action) => Resource.map((on) => ({ action: textOf(action), resource: textOf(on) }))),
    );
}
