import type { AskedLabels } from '../../core/ci/asked-labels.ts';

type Match = (offered: ReadonlySet<string>) => boolean;

const operatorPattern = /&&|\|\||!|<->|->|[()]/;
const quotedPattern = /"((?:\\.|[^"\\])*)"/;
/** A hyphen belongs to the label unless it begins `->`. */
const plainPattern = /(?:-(?!>)|[^-&|!<>()\s"'])+/;
const tokenPattern = new RegExp(
  `\\s*(?:(${operatorPattern.source})|${quotedPattern.source}|(${plainPattern.source}))`,
  'y',
);

/** A label that stands in an expression without quotes, and in a node's list of labels as one of them. */
export const plainLabel = new RegExp(`^${plainPattern.source}$`);

type Token = { operator: string } | { label: string };

/**
 * Parses a label expression of a Jenkins job: `linux && (docker || podman) && !arm`. `!` binds most, then `&&`, `||`, `->`
 * and `<->`. A job's list of labels has one text, which is the expression.
 *
 * @returns undefined for a text that is no expression: no agent runs its job
 * @see https://github.com/jenkinsci/jenkins/blob/master/core/src/main/antlr4/hudson/model/labels/LabelExpressionParser.g4
 */
export function parseLabelExpression(text: string): AskedLabels | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  const parser = new Parser(tokens);
  const isMetBy = parser.equivalence();
  if (isMetBy === undefined || !parser.isAtEnd) return undefined;
  return { labels: tokens.flatMap((token) => ('label' in token ? token.label : [])), isMetBy };
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  for (let at = 0; at < end; at = tokenPattern.lastIndex) {
    tokenPattern.lastIndex = at;
    const found = tokenPattern.exec(text);
    if (found === null) return undefined;
    const [, operator, quoted, plain = ''] = found;
    if (operator !== undefined) tokens.push({ operator });
    else tokens.push({ label: quoted?.replaceAll(/\\(.)/g, '$1') ?? plain });
  }
  return tokens;
}

/** Each method parses what its name says, and returns undefined where that is not there. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  equivalence(): Match | undefined {
    return this.#chain(
      '<->',
      () => this.#implication(),
      (one, other) => (offered) => one(offered) === other(offered),
    );
  }

  /** An implication does not chain: `a -> b -> c` is no expression. */
  #implication(): Match | undefined {
    const condition = this.#disjunction();
    if (condition === undefined || !this.#takes('->')) return condition;
    const consequence = this.#disjunction();
    return consequence && ((offered) => !condition(offered) || consequence(offered));
  }

  #disjunction(): Match | undefined {
    const conjunction = () =>
      this.#chain(
        '&&',
        () => this.#negation(),
        (one, other) => (offered) => one(offered) && other(offered),
      );
    return this.#chain('||', conjunction, (one, other) => (offered) => one(offered) || other(offered));
  }

  /** In Jenkins' grammar, `!!a` is no expression. */
  #negation(): Match | undefined {
    if (!this.#takes('!')) return this.#operand();
    const negated = this.#operand();
    return negated && ((offered) => !negated(offered));
  }

  #operand(): Match | undefined {
    if (this.#takes('(')) {
      const inner = this.equivalence();
      return this.#takes(')') ? inner : undefined;
    }
    const token = this.#tokens[this.#at];
    if (token === undefined || !('label' in token)) return undefined;
    this.#at += 1;
    return (offered) => offered.has(token.label);
  }

  #chain(
    operator: string,
    operand: () => Match | undefined,
    join: (one: Match, other: Match) => Match,
  ): Match | undefined {
    let all = operand();
    while (all !== undefined && this.#takes(operator)) {
      const next = operand();
      all = next && join(all, next);
    }
    return all;
  }

  #takes(operator: string): boolean {
    const token = this.#tokens[this.#at];
    if (token === undefined || !('operator' in token) || token.operator !== operator) return false;
    this.#at += 1;
    return true;
  }
}
