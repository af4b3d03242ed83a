import { parseLabelExpression } from '../../../support/jenkins/label-expression.ts';

// The cases of hudson.model.labels.LabelExpressionTest, and the grammar's precedences.
test.each([
  ['linux', ['linux'], true],
  ['linux', ['arm'], false],
  ['linux && docker', ['linux'], false],
  ['linux && docker', ['linux', 'docker'], true],
  ['linux || arm && docker', ['linux'], true],
  ['(linux || arm) && docker', ['linux'], false],
  ['!linux', ['arm'], true],
  ['!linux || arm', ['linux', 'arm'], true],
  ['!(linux || arm)', ['arm'], false],
  ['linux -> docker', ['linux'], false],
  ['linux -> docker', ['arm'], true],
  ['linux->docker', ['linux', 'docker'], true],
  ['linux <-> docker', ['arm'], true],
  ['linux <-> docker', ['linux'], false],
  ['a <-> b -> c', ['b'], true],
  ['linux-x64', ['linux-x64'], true],
  ['"with space" && a', ['with space', 'a'], true],
  ['jdk-17.0.1', ['jdk-17.0.1'], true],
])('%s on a node with %j: %s', (expression, labels, expected) => {
  expect(parseLabelExpression(expression).matches(new Set(labels))).toBe(expected);
});

test("an expression's name is Jenkins' own spelling, without spaces", () => {
  expect(parseLabelExpression('linux  &&!(arm || "a b")').name).toBe('linux&&!(arm||"a b")');
});

test.each(['', 'a b', 'a &&', '&& a', '(a', 'a)', 'a & b', 'a -> b -> c', '!!a'])(
  '%j is no label expression',
  (text) => {
    expect(() => parseLabelExpression(text)).toThrow(/is invalid at/);
  },
);
