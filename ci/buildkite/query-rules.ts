import type { AskedLabels } from '../../core/ci/asked-labels.ts';

/**
 * Reads a job's agent query rules: an agent needs a tag for each of them. `*` in a rule's value stands for any text; a rule
 * without a value asks for `true`.
 *
 * @see https://buildkite.com/docs/agent/cli/reference/start#agent-targeting
 */
export function askedByRules(rules: readonly string[]): AskedLabels {
  const tests = rules.map(testOf);
  return { labels: rules, isMetBy: (offered) => tests.every((test) => [...offered].some(test)) };
}

function testOf(rule: string): (tag: string) => boolean {
  const texts = complete(rule).split('*');
  return (tag) => isMatch(texts, complete(tag));
}

/**
 * Says whether a text consists of other texts in their order, with anything between them. Takes each where it is found
 * first: a regular expression tries every place, and a rule of many stars, which any job may have, would never end.
 */
function isMatch([first = '', ...between]: readonly string[], text: string): boolean {
  const last = between.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false;
  let at = first.length;
  for (const part of between) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

function complete(text: string): string {
  return text.includes('=') ? text : `${text}=true`;
}

/** The rule that names the queue, which each job of a queue meets, whether it says so or not. */
export function queueRule(queue: string): string {
  return `queue=${queue}`;
}

/** Completes a job's rules with that of its queue. */
export function rulesIn(queue: string, rules: readonly string[]): string[] {
  return [queueRule(queue), ...rules.filter((rule) => !rule.startsWith('queue='))];
}
