import type { WrittenLaunch } from '../../core/trace/written.ts';
import { changedFields } from './changed-fields.ts';
import { launchRules, planFields } from './launch-rules.ts';

/** Says why a command may not change a launch from one state to another. @returns undefined when it may */
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
