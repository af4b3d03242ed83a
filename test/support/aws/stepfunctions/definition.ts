import type { StateMachineDefinition } from 'aws-local-stepfunctions';

export type { StateMachineDefinition };

type States = StateMachineDefinition['States'];
type State = States[string];

const lambdaInvoke = 'arn:aws:states:::lambda:invoke';

/** The longest delay that a timer supports, about 24.8 days. */
const maxTimerSeconds = Math.floor((2 ** 31 - 1) / 1_000);

/**
 * Makes a runnable definition from ASL text. Replaces `${Name}` as CDK's definitionSubstitutions does. Rewrites fields
 * that the local engine reads differently from AWS, so that both behave the same.
 *
 * @param aslText valid ASL: `npm run check` validates davit's own
 * @throws Error that lists all missing substitutions, or all states that the local runtime cannot run (Map, Parallel,
 * JSONata, any resource but lambda:invoke).
 */
export function loadDefinition(
  aslText: string,
  substitutions: Readonly<Record<string, string>>,
): StateMachineDefinition {
  const definition: StateMachineDefinition = JSON.parse(substitute(aslText, substitutions));
  const unsupported = Object.entries(definition.States).flatMap(([name, state]) => unsupportedIn(name, state));
  if ('QueryLanguage' in definition) unsupported.push('QueryLanguage (only JSONPath runs locally)');
  if (unsupported.length > 0) throw new Error(`the local runtime cannot run: ${unsupported.join('; ')}`);
  const states = Object.entries(definition.States).map(([name, state]) => [name, normalizeState(state)]);
  return { ...definition, States: Object.fromEntries(states) };
}

function substitute(aslText: string, substitutions: Readonly<Record<string, string>>): string {
  const missing = new Set<string>();
  const text = aslText.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, (placeholder, name: string) => {
    const value = substitutions[name];
    if (value === undefined) missing.add(name);
    return value === undefined ? placeholder : JSON.stringify(value).slice(1, -1);
  });
  if (missing.size > 0) throw new Error(`the state machine needs substitutions for: ${[...missing].join(', ')}`);
  return text;
}

function unsupportedIn(name: string, state: State): string[] {
  if (state.Type === 'Map' || state.Type === 'Parallel') return [`${name} (a ${state.Type} state)`];
  if (state.Type !== 'Task' || !('Resource' in state) || state.Resource === lambdaInvoke) return [];
  return [`${name} (resource ${state.Resource})`];
}

/**
 * Without TimeoutSeconds, the engine gives a task 60 s, but AWS gives it 99,999,999 s. The engine reads ResultPath `$`,
 * AWS's default, as a field named `$`.
 */
function normalizeState(state: State): State {
  const normalized: State = withoutRootResultPath(state);
  if (normalized.Type === 'Task' && 'Resource' in normalized && !('TimeoutSecondsPath' in normalized)) {
    const timeoutSeconds = normalized.TimeoutSeconds ?? maxTimerSeconds;
    normalized.TimeoutSeconds = Math.min(timeoutSeconds, maxTimerSeconds);
  }
  if ('Catch' in normalized && normalized.Catch) normalized.Catch = normalized.Catch.map(withoutRootResultPath);
  return normalized;
}

function withoutRootResultPath<Field extends object>(field: Field): Field {
  const copy = { ...field };
  if ('ResultPath' in copy && copy.ResultPath === '$') delete copy.ResultPath;
  return copy;
}
