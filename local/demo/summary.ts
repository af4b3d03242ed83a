import type { LaunchReport } from './run-launch.ts';
import type { Screen } from './screen.ts';

/** The numbers of objects made, and the objects that are left. */
export interface ClusterCount {
  servicesCreated: number;
  podsCreated: number;
  /** The names of objects that carry davit's label at the end. */
  left: readonly string[];
}

/** Shows what was made, what the agents saw, and what is left. @returns whether all is as expected */
export function showSummary(
  screen: Screen,
  reports: readonly LaunchReport[],
  cluster: ClusterCount,
  kept: boolean,
): boolean {
  const connected = reports.flatMap(({ registration }) => (registration === undefined ? [] : [registration]));
  const pending = connected.reduce((sum, { pendingAnswers }) => sum + pendingAnswers, 0);
  const ready = reports.flatMap(({ readyMs }) => (readyMs === undefined ? [] : [readyMs])).toSorted((a, b) => a - b);
  const median = ready[Math.floor(ready.length / 2)];
  const problems = reports.filter(({ problem }) => problem !== undefined);

  screen.heading('\nSummary');
  const row = (what: string, value: string) => screen.heading(`  ${what.padEnd(12)} ${value}`);
  row('launches', `${reports.length}, of which ${reports.length - problems.length} went as they should`);
  row('created', `${count(cluster.servicesCreated, 'Service')}, ${count(cluster.podsCreated, 'Pod')}`);
  row('agents saw', `${pending} × 503, ${connected.length} × 200`);
  if (median !== undefined) row('ready after', `${(median / 1000).toFixed(2)} s (median, webhook to connected agent)`);
  row('left', cluster.left.length === 0 ? 'nothing' : cluster.left.join(', '));
  for (const { launchId, problem } of problems) screen.heading(`  ✗ ${launchId}: ${problem}`);
  return problems.length === 0 && (kept || cluster.left.length === 0);
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
