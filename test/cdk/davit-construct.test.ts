import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Davit } from '../../cdk/constructs/davit.ts';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { routes } from '../../functions/manifest.ts';
import { config, textOf } from './synthesise.ts';
import { permissionsOf } from './synthesised-function.ts';

test('in somebody else’s app, a role that is granted launches may call /launches, and nothing else', () => {
  const stack = new Stack(new App({ context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] } }), 'Theirs');
  const role = new Role(stack, 'CiServer', { assumedBy: new AccountPrincipal('111122223333') });
  const davit = new Davit(stack, 'Davit', { config });

  davit.grantLaunches(role);

  const permissions = permissionsOf(Template.fromStack(stack), textOf(stack.resolve(role.roleArn)));
  expect(permissions).toHaveLength(routes.filter(({ authorization }) => authorization === 'iam').length);
  for (const { action, resource } of permissions) {
    expect(action).toBe('execute-api:Invoke');
    expect(resource).toMatch(/\/\*\/(GET|POST|DELETE)\/launches(\/\*)?$/);
  }
});
