/** A label expression, as a job asks for its node. */
export interface LabelExpression {
  /** Jenkins' own spelling, without spaces: `linux&&!arm`. */
  readonly name: string;
  /** Whether a node with these labels, of which its own name is one, satisfies the expression. */
  matches(labels: ReadonlySet<string>): boolean;
}

type Match = (labels: ReadonlySet<string>) => boolean;

// LabelExpressionLexer.g4: the characters of an atom. A hyphen belongs to it unless it begins `->`.
const tokenPattern = /\s*(&&|\|\||!|<->|->|\(|\)|"(?:\\.|[^"\\\r\n])*"|(?:-(?!>)|[^&|!<>() \t"'-])+)/y;

/**
 * Parses a label expression by the grammar of Jenkins: `<->` binds least, then `->` (which does not chain), `||`, `&&`
 * and `!`. It shares nothing with davit's own parser, because a test compares the two.
 *
 * @throws Error that names the expression and the first character that does not fit
 * @see https://github.com/jenkinsci/jenkins/blob/master/core/src/main/antlr4/hudson/model/labels/LabelExpressionParser.g4
 */
export function parseLabelExpression(text: string): LabelExpression {
  const tokens = tokensOf(text);
  let next = 0;
  const takes = (token: string) => tokens[next] === token && ++next > 0;

  function chain(operator: string, part: () => Match, combine: (left: Match, right: Match) => Match): Match {
    let left = part();
    while (takes(operator)) left = combine(left, part());
    return left;
  }
  const iff = (): Match => chain('<->', implies, (a, b) => (labels) => a(labels) === b(labels));
  function implies(): Match {
    const a = or();
    if (!takes('->')) return a;
    const b = or();
    return (labels) => !a(labels) || b(labels);
  }
  const or = (): Match => chain('||', and, (a, b) => (labels) => a(labels) || b(labels));
  const and = (): Match => chain('&&', not, (a, b) => (labels) => a(labels) && b(labels));
  function not(): Match {
    if (!takes('!')) return operand();
    const negated = operand();
    return (labels) => !negated(labels);
  }
  function operand(): Match {
    if (takes('(')) {
      const inner = iff();
      if (!takes(')')) throw invalid(text, tokens[next]);
      return inner;
    }
    const token = tokens[next++];
    if (token === undefined || /^[&|!<()]|^->/.test(token)) throw invalid(text, token);
    const atom = token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(.)/g, '$1') : token;
    return (labels) => labels.has(atom);
  }

  const matches = iff();
  if (next < tokens.length) throw invalid(text, tokens[next]);
  return { name: tokens.join(''), matches };
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  tokenPattern.lastIndex = 0;
  const end = text.trimEnd().length;
  while (tokenPattern.lastIndex < end) {
    const at = tokenPattern.lastIndex;
    const token = tokenPattern.exec(text)?.[1];
    if (token === undefined) throw invalid(text, text.slice(at).trim());
    tokens.push(token);
  }
  return tokens;
}

function invalid(text: string, at = 'the end'): Error {
  return new Error(`the label expression "${text}" is invalid at ${at}`);
}
