import { lineOf, nameOf, nodeAt, nodesOf, type SyntaxNode } from './syntax-tree.ts';

/** A place in the source that invents an address. */
export interface AddressFallback {
  line: number;
  /** The name of the invented value, and how the source invents it. */
  says: string;
}

/**
 * Finds hosts and ports that get an invented value. That is, for a name that is an address:
 *
 * - a fallback: `port ?? …`, `port || …`, `port ??= …`, `port ||= …`, and `port = … ?? …`;
 * - a default: of a parameter, of destructuring, and of a schema (`default`, `prefault`, `catch`);
 * - a literal, zero and the empty text among them, as the whole value or as an arm of `… ? … : …`.
 *
 * Parses the source, so that neither comments nor layout hide or fake a place.
 *
 * @param isAddress says whether a name is that of a host or a port
 * @throws Error for a source that is not TypeScript
 */
export function findAddressFallbacks(source: string, isAddress: (name: string) => boolean): AddressFallback[] {
  const found = new Map<string, AddressFallback>();
  for (const node of nodesOf(source)) {
    const { target, how } = given(node);
    const name = nameOf(target);
    if (how === undefined || name === undefined || !isAddress(name)) continue;
    const line = lineOf(target, source) ?? 1;
    // `const port = port ?? 0` is one place, which both its declaration and its operator show.
    if (!found.has(`${line} ${name}`)) found.set(`${line} ${name}`, { line, says: `${name} ${how}` });
  }
  return [...found.values()];
}

/** The name that a node assigns, and how the value is invented; undefined when it is not. */
interface Given {
  target?: SyntaxNode | undefined;
  how?: string | undefined;
}

function given(node: SyntaxNode): Given {
  const operator = String(node['operator']);
  switch (node.type) {
    case 'BinaryExpression':
      return { target: nodeAt(node, 'left'), how: fallback(operator) };
    case 'AssignmentExpression': {
      const how = operator === '=' ? madeUp(nodeAt(node, 'right')) : fallback(operator.replace(/=$/, ''));
      return { target: nodeAt(node, 'left'), how };
    }
    case 'VariableDeclarator':
      return { target: nodeAt(node, 'id'), how: madeUp(nodeAt(node, 'init')) };
    case 'KeyValueProperty':
    case 'KeyValuePatternProperty':
    case 'ClassProperty':
    case 'PrivateProperty':
      return { target: nodeAt(node, 'key'), how: madeUp(nodeAt(node, 'value')) };
    case 'AssignmentPattern':
      return { target: nodeAt(node, 'left'), how: 'has a default' };
    case 'AssignmentPatternProperty':
      return { target: nodeAt(node, 'key'), how: nodeAt(node, 'value') && 'has a default' };
    default:
      return {};
  }
}

/** Describes how a value is invented; undefined when it is not. */
function madeUp(value: SyntaxNode | undefined): string | undefined {
  if (value === undefined) return undefined;
  switch (value.type) {
    case 'NumericLiteral':
    case 'StringLiteral':
      return 'is a literal';
    case 'TemplateLiteral':
      return Array.isArray(value['expressions']) && value['expressions'].length > 0 ? undefined : 'is a literal';
    case 'BinaryExpression':
      return fallback(String(value['operator']));
    case 'ConditionalExpression':
      return madeUp(nodeAt(value, 'consequent')) ?? madeUp(nodeAt(value, 'alternate'));
    case 'AssignmentPattern':
      return 'has a default';
    case 'CallExpression':
      return defaulted(value);
    default:
      return madeUp(nodeAt(value, 'expression'));
  }
}

/** Finds a default in a chain of schema calls: `z.int().default(1).describe('…')`. */
function defaulted(call: SyntaxNode): string | undefined {
  const callee = nodeAt(call, 'callee');
  if (callee?.type !== 'MemberExpression') return undefined;
  if (['default', 'prefault', 'catch'].includes(nameOf(callee) ?? '')) return 'has a default';
  const inner = nodeAt(callee, 'object');
  return inner?.type === 'CallExpression' ? defaulted(inner) : undefined;
}

function fallback(operator: string): string | undefined {
  return operator === '??' || operator === '||' ? `falls back by ${operator}` : undefined;
}
