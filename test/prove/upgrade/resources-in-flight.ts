import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';

/**
 * The types of the resources that a launch in flight needs: it runs on them, is stored in them, or connects to them.
 */
const heldTypes: readonly string[] = [
  'AWS::Lambda::Function',
  'AWS::StepFunctions::StateMachine',
  'AWS::DynamoDB::Table',
  'AWS::SecretsManager::Secret',
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Stage',
];

const Resources = z.record(z.string(), z.object({ Type: z.string() }));

/**
 * Lists the types of the resources that a launch in flight needs, by logical id. CloudFormation replaces a resource
 * whose logical id changes: a new table would have no records, and a running state machine would call a removed
 * function.
 */
export function resourcesInFlight(template: Template): Record<string, string> {
  const entries = Object.entries(Resources.parse(template.toJSON()['Resources']));
  const held = entries.filter(([, { Type }]) => heldTypes.includes(Type));
  return Object.fromEntries(held.map(([logicalId, { Type }]) => [logicalId, Type]));
}
