import { isDeepStrictEqual } from 'node:util';
import type { WrittenLaunch } from '../../core/trace/written.ts';
import { type LaunchField, launchRules, planFields } from './launch-rules.ts';

/** Says which fields differ. */
function changedFields(before: WrittenLaunch, after: WrittenLaunch): LaunchField[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as LaunchField[]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Says why a command may not make this of that. @returns undefined when it may */
export function whyNotAllowed(command: string, before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  const rule = launchRules[command];
  if (rule === undefined) return `the protocol has no command ${command}`;
  const changed = changedFields(before, after);
  const other = changed.find((name) => !rule.changes.includes(name));
  if (other !== undefined) return `${command} does not change ${other}`;
  const isDamaged = planFields.every((name) => after[name] === undefined);
  if (command !== 'relaunch' && !isDamaged && changed.some((name) => planFields.includes(name))) {
    return `${command} does not change the plan`;
  }
  return rule.why(before, after);
}
