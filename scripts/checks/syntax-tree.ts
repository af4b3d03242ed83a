import { parseSync } from '@swc/core';

/** A node of a syntax tree, of any kind. */
export interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Parses TypeScript and yields every node, outer nodes first.
 *
 * @throws Error for a source that is not TypeScript
 */
export function nodesOf(source: string): Iterable<SyntaxNode> {
  return nodesIn(parseSync(source, { syntax: 'typescript' }));
}

function* nodesIn(tree: unknown): Generator<SyntaxNode> {
  if (typeof tree !== 'object' || tree === null) return;
  if (isNode(tree)) yield tree;
  for (const part of Object.values(tree)) yield* nodesIn(part);
}

/** Returns the node in a field of another node; undefined when there is none. */
export function nodeAt(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

/** Returns the first argument of a call. */
export function firstArgument(call: SyntaxNode): SyntaxNode | undefined {
  const [first]: unknown[] = Array.isArray(call['arguments']) ? call['arguments'] : [];
  return typeof first === 'object' && first !== null && 'expression' in first && isNode(first.expression)
    ? first.expression
    : undefined;
}

/**
 * Returns the name of a value: `port` for `port`, `pod.port`, `pod?.['port']`, `#port`, `(await port)!`, `port as number`
 * and `Number(port)`; the function's name for any other call.
 */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  switch (node.type) {
    case 'Identifier':
    case 'PrivateName':
    case 'StringLiteral':
      return String(node['value']);
    case 'MemberExpression':
      return nameOf(nodeAt(node, 'property'));
    case 'OptionalChainingExpression':
      return nameOf(nodeAt(node, 'base'));
    case 'AwaitExpression':
      return nameOf(nodeAt(node, 'argument'));
    case 'CallExpression': {
      const called = nameOf(nodeAt(node, 'callee'));
      return conversions.has(called ?? '') ? nameOf(firstArgument(node)) : called;
    }
    default:
      return nameOf(nodeAt(node, 'expression'));
  }
}

const conversions = new Set(['Number', 'String', 'parseInt', 'parseFloat']);

/** Returns the source line on which a node starts, counted from 1. */
export function lineOf(node: SyntaxNode | undefined, source: string): number | undefined {
  const span = node?.['span'];
  if (typeof span !== 'object' || span === null || !('start' in span)) return undefined;
  // The parser counts bytes, from 1.
  const before = Buffer.from(source).subarray(0, Number(span.start) - 1);
  return before.toString().split('\n').length;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
