import * as fc from 'fast-check';
import { parseLabelExpression } from '../../../../ci/jenkins/label-expression.ts';
import { parseLabelExpression as parseAsJenkins } from '../../../support/jenkins/label-expression.ts';

function isMet(expression: string, ...offered: string[]): boolean | undefined {
  return parseLabelExpression(expression)?.isMetBy(new Set(offered));
}

test.each<[expression: string, offered: string[], expected: boolean]>([
  ['linux', ['linux', 'x64'], true],
  ['linux', ['Linux'], false],
  ['linux && docker', ['linux', 'docker'], true],
  ['linux&&docker', ['linux'], false],
  ['linux || docker', ['docker'], true],
  ['!windows', ['linux'], true],
  ['!windows', ['windows'], false],
  // && binds more than ||, and ! more than both.
  ['a || b && c', ['a'], true],
  ['(a || b) && c', ['a'], false],
  ['!a && b', ['b'], true],
  ['!(a && b)', ['a'], true],
  ['a -> b', [], true],
  ['a -> b', ['a'], false],
  ['a -> b', ['a', 'b'], true],
  ['a->b', ['a'], false],
  ['a <-> b', [], true],
  ['a <-> b', ['b'], false],
  ['a <-> b -> c', ['a'], true],
  ['"with space" && a', ['with space', 'a'], true],
  ['"say \\"hi\\""', ['say "hi"'], true],
  ['ubuntu-24.04', ['ubuntu-24.04'], true],
  ['davit/cpu=4 && linux', ['linux', 'davit/cpu=4'], true],
  ['  linux  ', ['linux'], true],
])('%s, on an agent with %j: %j', (expression, offered, expected) => {
  expect(isMet(expression, ...offered)).toBe(expected);
});

test.each(['', ' ', 'a b', 'a &&', '&& a', 'a & b', '(a', 'a)', '!!a', 'a -> b -> c', '"a', "it's", 'a <- b'])(
  '%j is no expression',
  (text) => {
    expect(parseLabelExpression(text)).toBeUndefined();
  },
);

test('an expression names each of its labels, also one that must be absent', () => {
  expect(parseLabelExpression('linux && !arm || "big one"')?.labels).toEqual(['linux', 'arm', 'big one']);
});

const atom = fc.constantFrom('a', 'b', 'c-d', 'e');
const { expression: anyExpression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small' },
    atom,
    fc
      .tuple(tie('expression'), fc.constantFrom('&&', ' || ', '->', ' <-> '), tie('expression'))
      .map((all) => all.join('')),
    tie('expression').map((inner) => `(${inner})`),
    tie('expression').map((inner) => `!${inner}`),
  ),
}));

test('davit and the fake Jenkins, whose parser is another one, read every text alike', () => {
  const anyOffered = fc.uniqueArray(atom).map((labels) => new Set(labels));
  fc.assert(
    fc.property(anyExpression, anyOffered, (text, offered) => {
      expect(parseLabelExpression(text)?.isMetBy(offered)).toBe(asJenkins(text, offered));
    }),
  );
});

function asJenkins(text: string, offered: ReadonlySet<string>): boolean | undefined {
  try {
    return parseAsJenkins(text).matches(offered);
  } catch {
    return undefined;
  }
}
