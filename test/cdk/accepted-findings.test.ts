import { describe, expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { AwsSolutionsChecks } from 'cdk-nag';
import { acceptedFindings, holdToAwsSolutions } from '../../cdk/accepted-findings.ts';
import { Davit, type DavitProps } from '../../cdk/constructs/davit.ts';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { config } from './synthesise.ts';

type MakeProps = (stack: Stack) => Partial<DavitProps>;

function makeDavit(makeProps: MakeProps = () => ({}), env = {}): { app: App; davit: Davit } {
  const app = new App({ context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] } });
  const stack = new Stack(app, 'Theirs', { env });
  return { app, davit: new Davit(stack, 'Davit', { config, ...makeProps(stack) }) };
}

/** What cdk-nag finds in a davit, and what else it is made of is not looked at. */
function findingsIn({ app, davit }: ReturnType<typeof makeDavit>): string[] {
  return new AwsSolutionsChecks(app).validateScope(davit).violations.map(({ ruleName }) => ruleName);
}

const own: Record<string, MakeProps> = {
  'nothing but its config': () => ({}),
  // A Vpc is no IVpc to a compiler that tells undefined from absent.
  'a VPC': (stack) => ({ vpc: new Vpc(stack, 'Vpc') as IVpc }),
  'a key': (stack) => ({ encryptionKey: new Key(stack, 'Key') }),
  'a name': (stack) => ({
    customDomain: {
      domainName: 'davit.example.com',
      certificate: Certificate.fromCertificateArn(
        stack,
        'Certificate',
        'arn:aws:acm:eu-central-1:111122223333:certificate/1',
      ),
    },
  }),
};

describe('cdk-nag finds nothing that is not accepted in a davit of', () => {
  test.each(Object.keys(own))('%s', (what) => {
    const made = makeDavit(own[what]);

    holdToAwsSolutions(made.app, made.davit);

    expect(findingsIn(made)).toEqual([]);
  });

  test('a known account and region', () => {
    const made = makeDavit(undefined, { account: '111122223333', region: 'eu-central-1' });

    holdToAwsSolutions(made.app, made.davit);

    expect(findingsIn(made)).toEqual([]);
  });
});

test('everything that is accepted is found when it is not', () => {
  const made = makeDavit();

  expect(findingsIn(made).toSorted()).toEqual(
    acceptedFindings(made.davit)
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('what is not accepted stops the synthesis', () => {
  const { app, davit } = makeDavit();
  holdToAwsSolutions(app, davit);
  const { node } = new Key(Stack.of(davit), 'KeyThatIsNeverRotated', { enableKeyRotation: false });

  expect(() => app.synth()).toThrow(new RegExp(`${node.id}.*AwsSolutions-KMS5`, 's'));
});
