/** How a kubelet reads the character after a `$` that begins no reference: `byte` is how older versions read it. */
export type ExpansionUnit = 'rune' | 'byte';

/**
 * Expands an environment variable's value as a kubelet does. After each `$` that is not the last character: `$$`
 * becomes `$`, and `$(NAME)` becomes the variable's value, or stays if there is none. `$(` without `)` and any other
 * character stay, with the `$`. A `byte` kubelet takes only the first byte of a character beyond ASCII.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.34.4/third_party/forked/golang/expansion/expand.go
 */
export function expandAsKubelet(
  text: string,
  variables: Readonly<Record<string, string>>,
  unit: ExpansionUnit = 'rune',
): string {
  const input = Buffer.from(text);
  const output: Buffer[] = [];
  let at = 0;
  while (at < input.length) {
    if (input[at] !== dollar || at + 1 === input.length) {
      output.push(input.subarray(at, (at += 1)));
    } else if (input[at + 1] === dollar) {
      output.push(Buffer.from('$'));
      at += 2;
    } else if (input[at + 1] === opener) {
      const end = input.indexOf(')', at + 2);
      const name = input.subarray(at + 2, end).toString();
      output.push(
        Buffer.from(end === -1 ? '$(' : Object.hasOwn(variables, name) ? (variables[name] ?? '') : `$(${name})`),
      );
      at = end === -1 ? at + 2 : end + 1;
    } else {
      const [rune = ''] = input.subarray(at + 1).toString();
      const taken = unit === 'rune' ? rune : String.fromCodePoint(input[at + 1] ?? 0);
      output.push(Buffer.from(`$${taken}`));
      at += 1 + (unit === 'rune' ? Buffer.byteLength(rune) : 1);
    }
  }
  return Buffer.concat(output).toString();
}

const dollar = '$'.charCodeAt(0);
const opener = '('.charCodeAt(0);
