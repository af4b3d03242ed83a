import * as fc from 'fast-check';
import { nanoQuantity } from '../../../../core/pod/nano-quantity.ts';
import { Quantity } from '../../../../core/pod/quantity.ts';
import { parseQuantity } from '../../../../sandbox/node/quantity.ts';

test.each([
  ['2', 2_000_000_000n],
  ['500m', 500_000_000n],
  ['0.5', 500_000_000n],
  ['1.5Gi', 1_610_612_736_000_000_000n],
  ['8Gi', 8_589_934_592_000_000_000n],
  ['8G', 8_000_000_000_000_000_000n],
  ['1n', 1n],
  ['1.0n', 1n],
  ['1u', 1000n],
  ['1T', 10n ** 21n],
  ['1P', 10n ** 24n],
  ['1Pi', 1024n ** 5n * 10n ** 9n],
  ['1Ei', 1024n ** 6n * 10n ** 9n],
  ['1e12', 10n ** 21n],
  ['0.1n', 1n],
  ['1e3', 1_000_000_000_000n],
  ['1E-3', 1_000_000n],
  ['1E', 1_000_000_000_000_000_000_000_000_000n],
])('%s is a quantity', (text, nano) => {
  expect(nanoQuantity(text)).toBe(nano);
});

test.each(['', 'four', '-1', '+1', '1 ', '8gi', '8GB', '1K', '1Ki2', '1.', '.5', '1.2.3', '١', '9'.repeat(19)])(
  '%j is none',
  (text) => {
    expect(nanoQuantity(text)).toBeUndefined();
  },
);

test("a quantity's value is the same as in the sandbox", () => {
  const number = fc.oneof(
    fc.nat().map(String),
    fc.tuple(fc.nat(999), fc.nat(999)).map((parts) => parts.join('.')),
  );
  const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti');
  fc.assert(
    fc.property(number, suffix, (digits, unit) => {
      const text = `${digits}${unit}`;

      const read = parseQuantity(text);
      expect(Math.abs(Number(nanoQuantity(text)) / 1e9 - read)).toBeLessThanOrEqual(read * 1e-12);
    }),
  );
});

test('a quantity in davit.yaml is text or a number above 0', () => {
  const messageOf = (value: unknown) => Quantity.safeParse(value).error?.issues[0]?.message;

  expect([Quantity.parse('500m'), Quantity.parse(8)]).toEqual(['500m', '8']);
  expect(messageOf(true)).toBe('expected a quantity such as 8, 500m or 32Gi');
  expect(['four', '0', 0].map(messageOf)).toEqual(Array(3).fill('expected a quantity above 0 such as 8, 500m or 32Gi'));
});
