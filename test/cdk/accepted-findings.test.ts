import { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { AwsSolutionsChecks } from 'cdk-nag';
import { acceptedFindings, holdToAwsSolutions } from '../../cdk/accepted-findings.ts';
import { davitOf, variants } from './variants.ts';

/** cdk-nag's findings in a davit, without those in the surrounding stack. */
function findingsIn({ app, davit }: ReturnType<typeof davitOf>): string[] {
  return new AwsSolutionsChecks(app).validateScope(davit).violations.map(({ ruleName }) => ruleName);
}

describe('cdk-nag finds nothing but accepted findings in a davit with', () => {
  test.each(Object.keys(variants))('%s', (what) => {
    const made = davitOf(variants[what]);

    holdToAwsSolutions(made.app, made.davit);

    expect(findingsIn(made)).toEqual([]);
  });

  test('a known account and region', () => {
    const made = davitOf(undefined, { account: '111122223333', region: 'eu-central-1' });

    holdToAwsSolutions(made.app, made.davit);

    expect(findingsIn(made)).toEqual([]);
  });
});

test('cdk-nag finds every accepted finding when it is not suppressed', () => {
  const made = davitOf();

  expect(findingsIn(made).toSorted()).toEqual(
    acceptedFindings(made.davit)
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('a finding that is not accepted stops the synthesis', () => {
  const { app, davit } = davitOf();
  holdToAwsSolutions(app, davit);
  const { node } = new Key(Stack.of(davit), 'KeyThatIsNeverRotated', { enableKeyRotation: false });

  expect(() => app.synth()).toThrow(new RegExp(`${node.id}.*AwsSolutions-KMS5`, 's'));
});
