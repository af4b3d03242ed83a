import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Davit } from '../../cdk/constructs/davit.ts';
import { unbundledApp } from '../../cdk/unbundled-app.ts';
import { config, textOf } from './synthesise.ts';
import { permissionsOf } from './synthesised-function.ts';

/** A davit in another app, with a role there. */
function theirs() {
  const stack = new Stack(unbundledApp(), 'Theirs');
  const role = new Role(stack, 'CiServer', { assumedBy: new AccountPrincipal('111122223333') });
  const davit = new Davit(stack, 'Davit', { config });
  const routes = () =>
    permissionsOf(Template.fromStack(stack), textOf(stack.resolve(role.roleArn))).map(({ action, resource }) => ({
      action,
      route: resource.replace(/^.*?\/\*\//, ''),
    }));
  return { davit, role, routes };
}

test.each([
  ['launch', 'grantLaunch', ['POST/launches']],
  [
    'read',
    'grantRead',
    ['GET/clusters', 'GET/clusters/*', 'GET/jobs', 'GET/launches', 'GET/launches/*', 'GET/openapi.json'],
  ],
  ['terminate', 'grantTerminate', ['DELETE/launches/*']],
] as const)(
  "in another team's app, a role with the grant to %s may do so, and nothing else",
  (_what, grant, granted) => {
    const { davit, role, routes } = theirs();

    davit[grant](role);

    expect(routes()).toEqual(granted.map((route) => ({ action: 'execute-api:Invoke', route })));
  },
);

test('a second davit in the same stack, whose runners would carry the same id, stops the synthesis', () => {
  const { davit } = theirs();

  const second = () => new Davit(Stack.of(davit), 'Other', { config });

  expect(second).toThrow('Theirs/Other: the stack has a davit already, Theirs/Davit; give each a stack of its own');
});

test('its metrics are those that the functions write, for this davit only', () => {
  const { davit } = theirs();

  const failed = davit.metricLaunches('failed');
  const slow = davit.metricTimeToAgent();

  expect(failed).toMatchObject({
    namespace: 'davit',
    metricName: 'Launches',
    dimensions: { service: 'Theirs/Davit', outcome: 'failed' },
    statistic: 'Sum',
  });
  expect(slow).toMatchObject({ metricName: 'TimeToAgent', dimensions: { service: 'Theirs/Davit' }, statistic: 'p90' });
});
