/** A value of Jenkins' remote API. */
export type Exported = string | number | boolean | null | Bean | readonly Exported[];

/** An object of the API. */
export interface Bean {
  readonly className?: string;
  readonly fields: Readonly<Record<string, Exported>>;
  /** Whether it is shown without `tree` and at any depth: inlined, or of visibility 999. @default false */
  readonly isAlwaysShown?: boolean;
}

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
interface Tree {
  [name: string]: Tree;
}

/**
 * Exports an object as `api/json` does, by the parameters `tree` and `depth`. `_class` is in every object.
 *
 * @throws SyntaxError for a malformed `tree`
 * @see org.kohsuke.stapler.export.TreePruner.ByDepth
 */
export function exportBean(bean: Bean, query: URLSearchParams): Json {
  const tree = query.get('tree');
  return tree === null ? byDepth(bean, Number(query.get('depth') ?? 0)) : pruneJson(byDepth(bean, Infinity), tree);
}

/**
 * Keeps what a `tree` names.
 *
 * @throws SyntaxError for a malformed `tree`
 * @see org.kohsuke.stapler.export.NamedPathPruner
 */
export function pruneJson(json: Json, tree: string): Json {
  return prune(json, parseTree(tree));
}

function byDepth({ className, fields }: Bean, depth: number): Json {
  const show = (value: Exported): Json => {
    if (Array.isArray(value)) return value.map(show);
    if (!isBean(value)) return value as Json;
    if (value.isAlwaysShown) return byDepth(value, depth);
    return depth > 0 ? byDepth(value, depth - 1) : named(value.className);
  };
  return { ...named(className), ...mapValues(fields, show) };
}

function prune(value: Json, tree: Tree): Json {
  if (Array.isArray(value)) return value.map((each) => prune(each, tree));
  if (typeof value !== 'object' || value === null) return value;
  const chosen = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const subtree = tree[name] ?? tree['*'];
    if (name === '_class') return [[name, inner]];
    return subtree === undefined ? [] : [[name, prune(inner, subtree)]];
  });
  return Object.fromEntries(chosen);
}

function isBean(value: Exported): value is Bean {
  return typeof value === 'object' && value !== null && 'fields' in value;
}

function named(className: string | undefined): { [key: string]: Json } {
  return className === undefined ? {} : { _class: className };
}

function mapValues(fields: Bean['fields'], show: (value: Exported) => Json): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, show(value)]));
}

/** Parses `a,b[c,d]`. A range, `a{0,10}`, is accepted and not applied. */
function parseTree(text: string): Tree {
  const tokens = text.match(/[^,[\]{}]+|\{[^}]*\}|[,[\]]/g) ?? [];
  let next = 0;
  function list(): Tree {
    const tree: Tree = {};
    for (;;) {
      const name = tokens[next++];
      if (name === undefined || /^[,[\]{]/.test(name)) throw new SyntaxError(`expected name at ${next} of ${text}`);
      tree[name] = {};
      if (tokens[next] === '[') {
        next += 1;
        tree[name] = list();
        if (tokens[next++] !== ']') throw new SyntaxError(`expected RBRACE at ${next} of ${text}`);
      }
      if (tokens[next]?.startsWith('{')) next += 1;
      if (tokens[next] !== ',') return tree;
      next += 1;
    }
  }
  const tree = list();
  if (next < tokens.length) throw new SyntaxError(`expected EOF at ${next} of ${text}`);
  return tree;
}
