import type { Template } from 'aws-cdk-lib/assertions';
import { LOCAL_ACCOUNT_ID } from '../../local/gateway/local-caller.ts';
import { credentialKeySecret } from '../../local/runtime/local-secrets.ts';
import { functionArnOf, LOCAL_REGION } from '../support/aws/lambda/function-name.ts';
import { secretArn } from '../support/aws-calls.ts';
import type { Deployed } from './role-policies.ts';
import { resourcesOf } from './synthesise.ts';

/** Resolves references to a template's resources to the local runtime's names. */
export function localDeployment(template: Template): Deployed {
  const deployed = deployedIn(template);
  return (logicalId, attribute) => {
    const name = deployed.get(logicalId) ?? { ref: logicalId, name: logicalId, arn: arn('anything', logicalId) };
    if (attribute === undefined) return name.ref;
    return attribute === 'Name' ? name.name : name.arn;
  };
}

/** The values of the intrinsic functions for a resource. */
interface Named {
  ref: string;
  name: string;
  arn: string;
}

function deployedIn(template: Template): Map<string, Named> {
  const named = (type: string, nameOf: (id: string, description: string) => Named) =>
    [...resourcesOf(template, type)].map(
      ([id, { Properties }]) => [id, nameOf(id, String(Properties['Description']))] as const,
    );
  return new Map([
    ...pseudoParameters,
    ...named('AWS::DynamoDB::Table', (id) => {
      const ref = `davit-${/(Launches|Tokens|Jobs|Clusters)Table/.exec(id)?.[1]?.toLowerCase()}`;
      return { ref, name: ref, arn: arn('dynamodb', `table/${ref}`) };
    }),
    ...named('AWS::Lambda::Function', (_id, description) => {
      const ref = description.replace(/^davit /, '');
      return { ref, name: ref, arn: functionArnOf(ref) };
    }),
    ...named('AWS::StepFunctions::StateMachine', () => {
      const machine = arn('states', 'stateMachine:davit-launch');
      return { ref: machine, name: 'davit-launch', arn: machine };
    }),
    ...named('AWS::KMS::Key', (id) => ({ ref: id, name: id, arn: arn('kms', `key/${id}`) })),
    ...named('AWS::SecretsManager::Secret', () => {
      const secret = secretArn(credentialKeySecret);
      return { ref: secret, name: secret, arn: secret };
    }),
  ]);
}

const pseudoParameters: [string, Named][] = [
  ['AWS::Partition', 'aws'],
  ['AWS::Region', LOCAL_REGION],
  ['AWS::AccountId', LOCAL_ACCOUNT_ID],
].map(([name = '', ref = '']) => [name, { ref, name: ref, arn: ref }]);

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:${resource}`;
}
