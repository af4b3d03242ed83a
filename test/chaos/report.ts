import type { ChaosArguments } from './arguments.ts';
import type { ChaosRun } from './chaos.ts';
import type { Violation } from './judge.ts';

/** What the statuses of the connect endpoint mean. */
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

/** Writes what a run came to as Markdown. */
export function tableOf({ runs, agents, settled, kills, sweeps, violations }: ChaosRun): string {
  const statuses = counted(agents.flatMap(({ reads }) => reads.map(({ status }) => status)));
  const endings = counted([...settled.launches.values()].map(({ ending }) => ending?.code ?? 'none'));
  const findings = counted(sweeps.flatMap((sweep) => sweep.findings.map(({ kind, reason }) => `${kind} ${reason}`)));
  const of = (which: (run: ChaosRun['runs'][number]) => boolean) => number(runs.filter(which).length);
  return table(
    ['', 'count'],
    [
      ['launches', number(runs.length)],
      ['of them in real containers', of(({ isReal }) => isReal)],
      ['of them cancelled at a random moment', of(({ isCancelled }) => isCancelled)],
      ['of them connected before the job was over', of(({ hasConnected }) => hasConnected)],
      ...rows('ending', endings),
      ...Object.entries(kills).map(([kind, times]) => [`killed: ${kind}`, number(times)]),
      ['sweeps', number(sweeps.length)],
      ...rows('swept', findings),
      ...statuses.map(([status, times]) => [`connect answered ${status}: ${answers[status] ?? ''}`, number(times)]),
      ['left after the last sweep', number(settled.left.length)],
      ['**violations**', `**${number(violations.length)}**`],
    ],
  );
}

/** Writes docs/chaos.md. */
export function proofText(run: ChaosRun, { concurrency }: Pick<ChaosArguments, 'concurrency'>): string {
  const date = new Date().toISOString().slice(0, 10);
  const command = `npm run chaos -- --launches ${run.runs.length} --concurrency ${concurrency} --seed ${run.seed}`;
  return `# Proof by killing

<!-- Written by \`npm run chaos -- --proof\`: run it again rather than change it here. -->

davit’s local runtime launches on a real Kubernetes: etcd, kube-apiserver, scheduler, controllers, nodes that kwok plays,
and a kubelet with real containers. Meanwhile davit, single functions, the API server and containerd are killed with -9,
at moments that a seed chooses; everything comes back as it was, and nobody is told. Jobs are cancelled at any moment.
Agents ask by the protocol, and each answer is kept. Then nothing is killed any more, one sweep is made, and these hold:

- Every launch has an ending, and nothing with davit’s label is left in any namespace.
- No agent was told a token before it was published, or another than its own, or an address that is not, by the
  cluster’s word, its own Pod’s and Service’s; none was told two things. At those in containers, the address led to them.
- No job had two agents.
- Every webhook was taken in the end; every launch that was not cancelled connected, or failed and said why.

${date}, in ${run.tookSeconds.toFixed(0)} s:

    ${command}

${tableOf(run)}
`;
}

/** Writes what was violated, and everything that is known of the launches that it is about. */
export function violationsText({ seed, violations, ...evidence }: ChaosRun): string {
  const byLaunch = Map.groupBy(violations, ({ launchId }) => launchId);
  const sections = [...byLaunch].map(([launchId, ofLaunch]) => launchText(launchId, ofLaunch, evidence));
  return [`✗ seed ${seed}: ${violations.length} violations`, ...sections].join('\n\n');
}

function launchText(
  launchId: string,
  violations: readonly Violation[],
  { agents, executions, settled }: Pick<ChaosRun, 'agents' | 'executions' | 'settled'>,
): string {
  const reads = agents.filter((agent) => agent.launchId === launchId).flatMap(readLines);
  const events = executions.of(launchId).map(({ atEpochMs, type, state, error }) => ({
    atEpochMs,
    says: [type, state, error].filter(Boolean).join(' '),
  }));
  const history = [...reads, ...events].toSorted((one, other) => one.atEpochMs - other.atEpochMs);
  return [
    launchId,
    ...violations.map(({ says }) => `  ✗ ${says}`),
    ...history.map(({ atEpochMs, says }) => `  ${new Date(atEpochMs).toISOString()}  ${says}`),
    `  at the end: ${JSON.stringify(settled.launches.get(launchId) ?? 'davit does not show it')}`,
  ].join('\n');
}

function readLines({ agentName, podUid, reads }: ChaosRun['agents'][number]): { atEpochMs: number; says: string }[] {
  return reads.map(({ atEpochMs, status, token, isAt }) => ({
    atEpochMs,
    says:
      token === undefined
        ? `${agentName} (${podUid}) is answered ${status}`
        : `${agentName} (${podUid}) is told ${token.host}:${token.port}, is at ${isAt ?? 'no address any more'}`,
  }));
}

/** How often each value is there, the most frequent first. */
function counted<Value>(values: readonly Value[]): [Value, number][] {
  return [...Map.groupBy(values, (value) => value)]
    .map(([value, same]): [Value, number] => [value, same.length])
    .toSorted(([, one], [, other]) => other - one);
}

function rows(what: string, counts: readonly (readonly [string, number])[]): string[][] {
  return counts.map(([key, times]) => [`${what}: ${key}`, number(times)]);
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en');
}
