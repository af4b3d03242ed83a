/**
 * Ends process groups whose owner has died: a program, started by the node, that outlives it just for that.
 * It is told `+pgid` and `-pgid`, one a line; when its input ends, what remains gets SIGTERM, then SIGKILL.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasProcesses, signalGroup } from './process-group.ts';

/** What the groups have to end by themselves: 2 s altogether. */
const GRACE_STEPS = 20;
const STEP_MS = 100;

const groups = new Set<number>();
for await (const line of createInterface({ input: process.stdin })) {
  const group = Number(line.slice(1));
  if (line.startsWith('+')) {
    groups.add(group);
  } else {
    groups.delete(group);
  }
}
const remaining = () => [...groups].filter(hasProcesses);
for (const group of remaining()) {
  signalGroup(group, 'SIGTERM');
}
for (let step = 0; step < GRACE_STEPS && remaining().length > 0; step += 1) {
  await sleep(STEP_MS);
}
for (const group of remaining()) {
  signalGroup(group, 'SIGKILL');
}
