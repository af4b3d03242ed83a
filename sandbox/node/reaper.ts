/**
 * Stops process groups whose owner has died. The node starts this program, which outlives the node for that purpose.
 * Its input has lines of `+pgid` and `-pgid`. When the input ends, it sends SIGTERM, then SIGKILL, to all groups left.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasProcesses, signalGroup } from './process-group.ts';

/** How many steps the groups have to end by themselves: 20 steps of 100 ms are 2 s. */
const graceSteps = 20;
const stepMs = 100;

const groups = new Set<number>();
for await (const line of createInterface({ input: process.stdin })) {
  const group = Number(line.slice(1));
  if (line.startsWith('+')) {
    groups.add(group);
  } else {
    groups.delete(group);
  }
}
function remaining() {
  return [...groups].filter(hasProcesses);
}
for (const group of remaining()) signalGroup(group, 'SIGTERM');
for (let step = 0; step < graceSteps && remaining().length > 0; step += 1) await sleep(stepMs);
for (const group of remaining()) signalGroup(group, 'SIGKILL');
