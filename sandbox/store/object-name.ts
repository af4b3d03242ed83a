/**
 * Checks a name. Returns its flaws, or an empty list.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
export type NameRule = (name: string) => string[];

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';

function rule(pattern: string, maxLength: number, complaint: string): NameRule {
  return (name) => [
    ...(name.length > maxLength ? [`must be no more than ${maxLength} characters`] : []),
    ...(new RegExp(`^${pattern}$`).test(name) ? [] : [`${complaint}, regex used for validation is '${pattern}')`]),
  ];
}

/** RFC 1123 subdomain: Pods, Nodes, Events and most others. */
export const dns1123Subdomain = rule(
  subdomain,
  253,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com'",
);

/** RFC 1123 label: Namespaces, containers. */
export const dns1123Label = rule(
  label,
  63,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc'",
);

/** RFC 1035 label: Services. */
export const dns1035Label = rule(
  label1035,
  63,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123'",
);

const qualifiedNamePattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const qualifiedNamePart = rule(
  qualifiedNamePattern,
  63,
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc'",
);

/** The key of a label or an annotation: a name, optionally after a DNS subdomain and a slash. */
export const qualifiedName: NameRule = (key) => {
  const [first = '', second, ...rest] = key.split('/');
  if (rest.length > 0) {
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  if (second === undefined) return qualifiedNamePart(first);
  const prefix =
    first === '' ? ['prefix part must be non-empty'] : dns1123Subdomain(first).map((flaw) => `prefix part ${flaw}`);
  return [...prefix, ...qualifiedNamePart(second)];
};

/** The value of a label. */
export const labelValue = rule(
  `(${qualifiedNamePattern})?`,
  63,
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345'",
);

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const longestGeneratedBase = 63 - suffixLength;

/** Makes a name from `generateName` as the API server does: it adds five characters that cannot spell a word. */
export function generatedName(base: string): string {
  const random = crypto.getRandomValues(new Uint8Array(suffixLength));
  const suffix = Array.from(random, (byte) => suffixAlphabet.charAt(byte % suffixAlphabet.length)).join('');
  return base.slice(0, longestGeneratedBase) + suffix;
}
