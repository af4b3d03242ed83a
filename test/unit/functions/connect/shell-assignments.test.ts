import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as fc from 'fast-check';
import { shellAssignments } from '../../../../functions/connect/shell-assignments.ts';
import { anyCodePoint } from '../../../support/any-code-point.ts';

const shells = [
  { name: 'sh', command: ['/bin/sh'] },
  { name: 'bash', command: ['/bin/bash', '--posix', '--norc'] },
  { name: 'busybox', command: ['/bin/busybox', 'sh'] },
].filter(({ command: [path = ''] }) => existsSync(path));

/** Evaluates assignments in a shell, and returns the variables' values. */
function evaluated(command: readonly string[], variables: Record<string, string>): string[] {
  const [program = '', ...args] = command;
  const names = Object.keys(variables);
  const shown = names.map((name) => `"$${name}"`).join(' ');
  const script = `eval "$(cat)"\nprintf '%s\\0' ${shown}\n`;
  const output = execFileSync(program, [...args, '-euc', script], { input: shellAssignments(variables), env: {} });
  return output.toString('utf8').split('\0').slice(0, names.length);
}

const anyText = fc.oneof(
  fc.string({ unit: anyCodePoint }),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '$', '`', '\n', '\r', '(', ')', ';', '&', '!', '#', '*', ' ', 'a'),
  }),
  fc.constantFrom(
    '$(touch /tmp/x)',
    "'; exit 7; '",
    '# davit: end',
    '\n# davit: begin\n',
    '\\',
    "'",
    '',
    '-n',
    '\u{1F6A2}',
  ),
);
const anyValue = anyText.map((text) => text.replaceAll('\0', ''));

describe.each(shells)('$name', ({ command }) => {
  test('reads the exact values from the assignments', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1, maxLength: 80, size: 'max' }), (values) => {
        const variables = Object.fromEntries(values.map((value, index) => [`V_${index}`, value]));

        expect(evaluated(command, variables)).toEqual(values);
      }),
      // Each run starts a shell.
      { numRuns: 12 },
    );
  });
});

test.each(['', '1A', 'A-B', 'A B', 'A=1;B', 'Ä', 'A\n', '$(x)'])("%j is refused as a variable's name", (name) => {
  expect(() => shellAssignments({ [name]: 'x' })).toThrow(/is no name of a shell variable/);
});

test('a value with NUL is refused without being quoted', () => {
  expect(() => shellAssignments({ A: 'secret\0' })).toThrow(/^the value of A has a NUL$/);
});
