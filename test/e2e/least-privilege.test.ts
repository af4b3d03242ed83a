import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { functionNames } from '../../cdk/function-needs.ts';
import { namespaceRules, nodeRules } from '../../cdk/rbac/rules.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { applies, isAllowed, type Statement, statementsOf } from '../cdk/evaluate-policy.ts';
import { localDeployment } from '../cdk/local-deployment.ts';
import { resourcesOf, synthesise } from '../cdk/synthesise.ts';
import { type EveryCall, launchEveryWay } from './launch-every-way.ts';

jest.setTimeout(300_000);

/**
 * What AWS itself does in a function's name, and the function's code never asks for: Lambda writes its log and its
 * traces, reads the streams for it, and keeps what failed.
 */
const doneByAws = [
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
  'sqs:SendMessage',
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
];

let seen: EveryCall;
let roles: Map<FunctionName, Statement[]>;
beforeAll(async () => {
  seen = await launchEveryWay();
  const template = synthesise({ config: seen.config });
  const deployed = localDeployment(template);
  const roleIds = [...resourcesOf(template, 'AWS::IAM::Role')];
  roles = new Map(
    functionNames.map((name) => {
      const [roleId = ''] = roleIds.find(([, { Properties }]) => Properties['Description'] === `davit ${name}`) ?? [];
      return [name, statementsOf(template, roleId, deployed)];
    }),
  );
});

/** What a function is granted beside what AWS does in its name: each action on each resource. */
function grantsTo(name: FunctionName): { action: string; resource: string; statement: Statement }[] {
  return (roles.get(name) ?? []).flatMap((statement) =>
    statement.actions
      .filter((action) => statement.effect === 'Allow' && !doneByAws.includes(action))
      .flatMap((action) => statement.resources.map((resource) => ({ action, resource, statement }))),
  );
}

const callsOf = (name: FunctionName) => seen.aws.filter(({ by }) => by === name);

describe.each(functionNames)('the role of %s', (name) => {
  test('allows all that the function asked of AWS', () => {
    const refused = callsOf(name).filter((call) => !isAllowed(roles.get(name) ?? [], call));

    expect(refused).toEqual([]);
    expect(callsOf(name).length).toBeGreaterThan(0);
  });

  test('grants nothing that the function never asked for, action by action and resource by resource', () => {
    const idle = grantsTo(name).filter(
      ({ action, resource, statement }) =>
        !callsOf(name).some((call) =>
          applies({ ...statement, actions: [action], resources: [resource] }, call.action, call.resource),
        ),
    );

    expect(idle.map(({ action, resource }) => `${action} ${resource}`)).toEqual([]);
  });
});

describe('by evaluation of the policies', () => {
  const everyAction = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'PartiQLInsert', 'PartiQLUpdate'];
  const tokens = 'arn:aws:dynamodb:us-east-1:000000000000:table/davit-tokens';

  test('publish-token can write a token, and connect and everybody else cannot', () => {
    const writers = functionNames.filter((name) =>
      everyAction.some((action) =>
        isAllowed(roles.get(name) ?? [], { action: `dynamodb:${action}`, resource: tokens }),
      ),
    );

    expect(writers).toEqual(['publish-token']);
  });

  test('no function can read a secret of somebody else', () => {
    const resource = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:somebody-elses-a1B2c3';
    const readers = functionNames.filter((name) =>
      isAllowed(roles.get(name) ?? [], { action: 'secretsmanager:GetSecretValue', resource }),
    );

    expect(readers).toEqual([]);
  });
});

describe('the Role in Kubernetes', () => {
  const granted = [...namespaceRules, ...nodeRules].flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );

  test('is what davit asks of a cluster: neither more nor less', () => {
    expect([...seen.kubernetes].toSorted()).toEqual(granted.toSorted());
  });

  test('is asked for in the agents’ namespace only, but for Nodes', () => {
    expect([...seen.namespaces]).toEqual(['davit-agents']);
  });
});

test('what was asked and what is granted, side by side', () => {
  const rows = functionNames.flatMap((name) =>
    grantsTo(name).map(({ action, resource, statement }) => {
      const asked = callsOf(name).filter((call) =>
        applies({ ...statement, actions: [action], resources: [resource] }, call.action, call.resource),
      );
      return `${name.padEnd(16)}${action.padEnd(32)}${resource.padEnd(84)}${asked.length}`;
    }),
  );
  const head = `${'function'.padEnd(16)}${'granted'.padEnd(32)}${'on'.padEnd(84)}resources asked for`;

  process.stdout.write(`${[head, ...rows, '', 'in Kubernetes', ...seen.kubernetes].join('\n')}\n`);

  expect(rows.length).toBeGreaterThan(functionNames.length);
});
