import type { LaunchReport } from './run-launch.ts';
import type { Screen } from './screen.ts';

/** The numbers of objects made, and the objects that are left. */
export interface ClusterCount {
  servicesCreated: number;
  podsCreated: number;
  /** The names of objects that carry davit's label at the end. */
  left: readonly string[];
}

/** The number of runners that were registered, and the names of the present ones. */
export interface RunnerCount {
  registered: number;
  left: readonly string[];
}

/** Shows the created objects, the agents' answers, and the remaining objects. @returns whether all is as expected */
export function showSummary(
  screen: Screen,
  reports: readonly LaunchReport[],
  cluster: ClusterCount,
  runners: RunnerCount,
  kept: boolean,
): boolean {
  const connected = reports.flatMap(({ registration }) => (registration === undefined ? [] : [registration]));
  const pending = connected.reduce((sum, { pendingAnswers }) => sum + pendingAnswers, 0);
  const ready = reports.flatMap(({ readyMs }) => (readyMs === undefined ? [] : [readyMs])).toSorted((a, b) => a - b);
  const median = ready[Math.floor(ready.length / 2)];
  const problems = reports.filter(({ problem }) => problem !== undefined);

  screen.heading('\nSummary');
  const row = (what: string, value: string) => screen.heading(`  ${what.padEnd(12)} ${value}`);
  row('launches', `${reports.length}, ${reports.length - problems.length} as expected`);
  const { servicesCreated: services, podsCreated: pods } = cluster;
  row('created', `${count(services, 'Service')}, ${count(pods, 'Pod')}, ${count(runners.registered, 'runner')}`);
  row('agents saw', `${pending} × 503, ${connected.length} × 200`);
  if (median !== undefined) row('ready after', `${(median / 1000).toFixed(2)} s (median, webhook to connected agent)`);
  const left = [...cluster.left, ...runners.left.map((name) => `runner ${name}`)];
  row('left', left.length === 0 ? 'nothing' : left.join(', '));
  for (const { launchId, problem } of problems) screen.heading(`  ✗ ${launchId}: ${problem}`);
  return problems.length === 0 && (kept || left.length === 0);
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
