import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '../cdk/bundling.ts';
import { markdownTable } from './cost/markdown.ts';

/** A member of an interface or a class, as in its source. */
export interface Member {
  name: string;
  isOptional: boolean;
  type: string;
  /** The text of its comment, without tags. */
  about: string;
  /** The text of `@default`. */
  fallback: string | undefined;
}

/** A field, or a method: then its type begins with its parameters. */
const memberLine = /^ {2}(?:readonly )?(\w+)(\??)(?:: |(?=\())([^]*?);$/;

/**
 * Reads the public members of the first interface or class of a name.
 *
 * @throws Error when the source has none
 */
export function membersOf(source: string, name: string): Member[] {
  const body = new RegExp(
    `^export (?:interface|class) ${name}\\b[^{]*(?:\\{ [^{}]* \\}[^{]*)?\\{\\n([^]*?)^\\}`,
    'm',
  ).exec(source)?.[1];
  if (body === undefined) throw new Error(`there is no ${name}`);
  // The public members of a class end at its constructor.
  const [shown = ''] = body.split(/^ {2}(?:readonly #|#|constructor)/m);
  const members: Member[] = [];
  let comment = '';
  for (const [part] of shown.matchAll(/^ {2}\/\*\*[^]*?\*\/$|^ {2}\w[^]*?;$/gm)) {
    if (part.startsWith('  /**')) comment = part;
    const [, memberName, mark, type] = memberLine.exec(part) ?? [];
    if (memberName === undefined || type === undefined) continue;
    const [about = '', fallback] = wordsOf(comment).split(/\s*@default\s+/);
    members.push({
      name: memberName,
      isOptional: mark === '?',
      type: type.replaceAll(/\s+/g, ' '),
      about,
      fallback,
    });
    comment = '';
  }
  return members;
}

function wordsOf(comment: string): string {
  return comment
    .replaceAll(/^\s*\/\*\*|\*\/\s*$/g, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Writes the sections about the construct's props and its members, from their sources. */
export function constructSections(): string {
  const props = read('constructs/davit-props.ts');
  const network = read('constructs/function-network.ts');
  const stack = read('davit-stack.ts');
  const members = membersOf(read('constructs/davit.ts'), 'Davit');
  return [
    '## `DavitProps`\n',
    propsTable([...membersOf(props, 'DavitProps'), ...membersOf(network, 'FunctionNetwork').map(optional)]),
    '\n## `DavitStackProps`\n',
    'The properties of `DavitProps`, those of a CDK stack, and:\n',
    propsTable(membersOf(stack, 'DavitStackProps')),
    '\n## `AlarmOptions`\n',
    propsTable(membersOf(read('monitoring/alarms.ts'), 'AlarmOptions')),
    '\n## `EksClusterInApp`\n',
    'A cluster of `aws-eks` or `aws-eks-v2`: its `clusterName`, `connections` and `node`, and:\n',
    propsTable(membersOf(read('constructs/eks-clusters.ts'), 'EksClusterInApp')),
    '\n## `Davit`\n',
    'The members of a davit, for the app around it:\n',
    markdownTable(['member', 'type', 'is'], members.map(cellsOf)),
  ].join('\n');
}

function propsTable(members: readonly Member[]): string {
  const rows = members.map((member) => [
    ...cellsOf(member),
    cell(member.isOptional ? (member.fallback ?? '') : '**needed**'),
  ]);
  return markdownTable(['prop', 'type', 'is', 'default'], rows);
}

function cellsOf({ name, type, about }: Member): string[] {
  return [`\`${name}\``, `\`${cell(type)}\``, cell(about)];
}

function optional(member: Member): Member {
  return { ...member, isOptional: true, fallback: member.fallback ?? 'outside of any VPC' };
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function read(path: string): string {
  return readFileSync(join(rootFolder, 'cdk', path), 'utf8');
}
