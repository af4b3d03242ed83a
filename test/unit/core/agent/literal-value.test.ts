import * as fc from 'fast-check';
import { literalValue } from '../../../../core/agent/literal-value.ts';
import { expand } from '../../../../sandbox/node/environment.ts';
import { anyCodePoint } from '../../../support/any-code-point.ts';
import { expandAsKubelet } from '../../../support/kubernetes-expansion.ts';

const variables = { A: 'expanded', '': 'nameless', $: 'dollar', PATH: '/bin' };
// The characters of references, often side by side, and arbitrary text.
const parts = fc.constantFrom(
  '$',
  '$$',
  '(',
  ')',
  '$(A)',
  '$(',
  '$(PATH)',
  '$()',
  '$($)',
  'A',
  'é',
  '€',
  '🚀',
  '\\',
  '\n',
);
const anyValue = fc.oneof(
  fc.array(parts).map((chosen) => chosen.join('')),
  fc.string({ unit: anyCodePoint }),
);
const wellFormed = anyValue.map((value) => value.toWellFormed());

describe('a literal value arrives unchanged', () => {
  test('through a kubelet', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(expandAsKubelet(literalValue(value), variables)).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  test('through an older kubelet, which breaks a character beyond ASCII behind a plain $', () => {
    expect(expandAsKubelet('$é', variables, 'byte')).not.toBe('$é');
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(expandAsKubelet(literalValue(value), variables, 'byte')).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });
});

test("the sandbox's node expands every text as a kubelet does", () => {
  fc.assert(
    fc.property(wellFormed, (text) => {
      expect(expand(text, variables)).toBe(expandAsKubelet(text, variables));
    }),
    { numRuns: 1000 },
  );
});

// The cases of Kubernetes' own expand_test.go that distinguish its rules.
test.each([
  ['$(A)', 'expanded'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$expanded'],
  ['$$$$(A)', '$$(A)'],
  ['$(B)', '$(B)'],
  ['$(A', '$(A'],
  ['$($(A)', '$($(A)'],
  ['$($$', '$($'],
  ['$A$$', '$A$'],
  ['A$', 'A$'],
  ['$()', 'nameless'],
])('a kubelet expands %s to %s', (text, expanded) => {
  expect(expandAsKubelet(text, variables)).toBe(expanded);
});
