import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';

/** The types of what launches in flight hold on to: what they run on, what they are kept in, what they connect to. */
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
 * Gives the types of the resources that launches in flight hold on to, by logical id. CloudFormation replaces a resource
 * whose logical id changes: another table without the records, another function than the one that a machine calls.
 */
export function resourcesInFlight(template: Template): Record<string, string> {
  const entries = Object.entries(Resources.parse(template.toJSON()['Resources']));
  const held = entries.filter(([, { Type }]) => heldTypes.includes(Type));
  return Object.fromEntries(held.map(([logicalId, { Type }]) => [logicalId, Type]));
}
