import { markdownTable } from '../../../scripts/cost/markdown.ts';
import { mostRounds, type Violation } from '../../support/unsettled.ts';
import type { ChaosArguments } from './arguments.ts';
import type { ChaosRun } from './chaos.ts';

/** The meanings of the connect endpoint's statuses. */
const answers: Readonly<Record<number, string>> = {
  0: 'nothing answered: davit was away',
  200: 'the token',
  401: 'not this agent',
  410: 'the launch is over',
  429: 'too many at once',
  500: 'its function died',
  502: 'its function died',
  503: 'not yet',
};

/** Formats a run's result as Markdown. */
export function tableOf({ runs, agents, lasting, settled, kills, sweeps, violations }: ChaosRun): string {
  const statuses = counted(agents.flatMap(({ reads }) => reads.map(({ status }) => status)));
  const endings = counted(runs.map(({ launchId }) => settled.launches.get(launchId)?.ending?.code ?? 'none'));
  const moved = [...settled.launches.values()].filter((launch) => launch?.generations?.some(isMove)).length;
  const findings = counted(sweeps.flatMap((sweep) => sweep.findings.map(({ kind, reason }) => `${kind} ${reason}`)));
  const of = (which: (run: ChaosRun['runs'][number]) => boolean) => number(runs.filter(which).length);
  return markdownTable(
    ['', 'count'],
    [
      ['launches', number(runs.length)],
      ['of them in real containers', of(({ isReal }) => isReal)],
      ['of them cancelled at a random moment', of(({ isCancelled }) => isCancelled)],
      ['of them connected before the job was over', of(({ hasConnected }) => hasConnected)],
      ['of them moved to another cluster', number(moved)],
      ...rows('ending', endings),
      ...Object.entries(kills).map(([kind, times]) => [`killed: ${kind}`, number(times)]),
      ['sweeps', number(sweeps.length)],
      ...rows('swept', findings),
      ...statuses.map(([status, times]) => [`connect answered ${status}: ${answers[status] ?? ''}`, number(times)]),
      ['launches that the last faults met', number(lasting.launchIds.length)],
      ['of them without their Pods since', number(lasting.taken.size)],
      ['rounds until everything was at rest', number(settled.rounds)],
      ['**violations**', `**${number(violations.length)}**`],
    ],
  );
}

/** Builds docs/chaos.md. */
export function proofText(
  run: ChaosRun,
  { concurrency, clusters }: Pick<ChaosArguments, 'concurrency' | 'clusters'>,
): string {
  const date = new Date().toISOString().slice(0, 10);
  const options = `--launches ${run.runs.length} --concurrency ${concurrency} --clusters ${clusters} --seed ${run.seed}`;
  return `# Proof by killing

<!-- Written by \`npm run prove -- chaos --proof\`: run it again rather than change it here. -->

davit's local runtime launches on a real Kubernetes, or on two side by side: etcd, kube-apiserver, scheduler, controllers, nodes that kwok plays,
and a kubelet with real containers. Meanwhile the run kills davit, API servers and containerd with
SIGKILL, at moments that a seed chooses. Each comes back with its data, and nothing announces the kill. Jobs are cancelled
at any moment. Agents connect by the protocol, and the run keeps each answer. When all jobs are over, the last faults meet agents
that work and launches that begin: the API servers are frozen, davit is killed, a Pod is deleted, and a node is lost. Then these hold:

- ${mostRounds} rounds later at the latest ([convergence](invariants.md#convergence)), every launch is over, or connected if its job goes on. No
  namespace contains anything with davit's label of a launch that is over, no execution runs, no such launch holds a slot, and each
  cluster is connected.
- No agent got a token before it was published, another agent's token, or two different tokens. Each address was, in the
  cluster's words, that of the agent's own Pod and Service. For agents in containers, the address led to them.
- No job had two agents that were told a token, whatever cluster its launch moved to, and only its job, or the loss of its Pod, ended an agent that had connected.
- davit accepted every webhook in the end. Every launch that was not cancelled connected, or failed with a reason.

${date}, in ${run.tookSeconds.toFixed(0)} s:

    npm run prove -- chaos ${options}

${tableOf(run)}
`;
}

/** Lists the violations, each with the full history of its launch. */
export function violationsText({ seed, violations, ...evidence }: ChaosRun): string {
  const byLaunch = Map.groupBy(violations, ({ launchId }) => launchId);
  const sections = [...byLaunch].map(([launchId, ofLaunch]) => launchText(launchId, ofLaunch, evidence));
  return [`✗ seed ${seed}: ${violations.length} violations`, ...sections].join('\n\n');
}

/** Whether a launch left a cluster that was away, refused it or had no room. */
function isMove({ code }: { code: string }): boolean {
  return ['ClusterAway', 'ClusterRefused', 'ClusterFull'].includes(code);
}

function launchText(
  launchId: string,
  violations: readonly Violation[],
  { agents, executions, settled }: Pick<ChaosRun, 'agents' | 'executions' | 'settled'>,
): string {
  const reads = agents.filter((agent) => agent.launchId === launchId).flatMap(readLines);
  const events = executions.of(launchId).map(({ atEpochMs, type, state, error }) => ({
    atEpochMs,
    detail: [type, state, error].filter(Boolean).join(' '),
  }));
  const history = [...reads, ...events].toSorted((one, other) => one.atEpochMs - other.atEpochMs);
  return [
    launchId,
    ...violations.map(({ detail }) => `  ✗ ${detail}`),
    ...history.map(({ atEpochMs, detail }) => `  ${new Date(atEpochMs).toISOString()}  ${detail}`),
    `  at the end: ${JSON.stringify(settled.launches.get(launchId) ?? 'davit does not show it')}`,
  ].join('\n');
}

function readLines({ agentName, podUid, reads }: ChaosRun['agents'][number]): { atEpochMs: number; detail: string }[] {
  return reads.map(({ atEpochMs, status, token, isAt }) => ({
    atEpochMs,
    detail:
      token === undefined
        ? `${agentName} (${podUid}) is answered ${status}`
        : `${agentName} (${podUid}) is told ${token.host}:${token.port}, is at ${isAt ?? 'no address any more'}`,
  }));
}

/** Counts each value, the most frequent first. */
function counted<Value>(values: readonly Value[]): [Value, number][] {
  return [...Map.groupBy(values, (value) => value)]
    .map(([value, same]): [Value, number] => [value, same.length])
    .toSorted(([, one], [, other]) => other - one);
}

function rows(what: string, counts: readonly (readonly [string, number])[]): string[][] {
  return counts.map(([key, times]) => [`${what}: ${key}`, number(times)]);
}

function number(value: number): string {
  return value.toLocaleString('en');
}
