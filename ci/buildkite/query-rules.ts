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
  const wanted = complete(rule);
  if (!wanted.includes('*')) return (tag) => complete(tag) === wanted;
  const pattern = new RegExp(
    `^${wanted
      .split('*')
      .map((text) => RegExp.escape(text))
      .join('.*')}$`,
    's',
  );
  return (tag) => pattern.test(complete(tag));
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
