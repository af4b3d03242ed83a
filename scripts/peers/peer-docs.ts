import { markdownTable } from '../cost/markdown.ts';
import { type FaultName, faultNames, faults, systemNames } from './faults.ts';
import type { PeerCell, Quantiles, Sections } from './peer-cells.ts';

/** A system that cannot be built where the tests run. */
interface Absent {
  name: string;
  needs: string;
  published: string;
}

const absent: readonly Absent[] = [
  {
    name: '[ARC](https://github.com/actions/actions-runner-controller)',
    needs: 'a GitHub, whose runner service has a protocol of its own',
    published:
      '2.8 to 3.3 jobs a second, 10.8 s (p50) from the end of a job until its runner is removed ([#4670](https://github.com/actions/actions-runner-controller/pull/4670)); 0 to 30 runners in 15 s (#3276)',
  },
  {
    name: '[Jenkins Kubernetes plugin](https://github.com/jenkinsci/kubernetes-plugin)',
    needs: 'a Jenkins and its plugins, which Maven Central does not have',
    published: 'none',
  },
  {
    name: '[agent-stack-k8s](https://github.com/buildkite/agent-stack-k8s)',
    needs: "Buildkite's service",
    published: 'none',
  },
  {
    name: '[GitLab Runner](https://docs.gitlab.com/runner/executors/kubernetes/)',
    needs: 'a GitLab, and images from a registry',
    published: 'none',
  },
  {
    name: '[Kueue](https://kueue.sigs.k8s.io/)',
    needs: 'a launcher of agents beside it: it only says when a workload may start',
    published: '15,000 workloads in 351 s, 43 a second, scheduling only',
  },
];

/** Writes what became of the jobs. */
export function cellsTable(cells: readonly PeerCell[]): string {
  return markdownTable(
    ['fault', 'system', 'jobs', 'completed', 'lost', 'stuck', 'run twice', 'begun again', 'Pods left'],
    cells.map((cell) => [
      `\`${cell.fault}\``,
      cell.system,
      ...[cell.jobs, cell.completed, cell.lost, cell.stuck, cell.runTwice, cell.begunAgain, cell.podsLeft].map(String),
    ]),
    2,
  );
}

/** Writes how long the agents took, and what the controllers used. */
export function timesTable(cells: readonly PeerCell[]): string {
  return markdownTable(
    ['fault', 'system', 'request → Pod', '→ running', '→ connected', 'in all', 'CPU, s', 'memory, MiB', 'load'],
    cells.map(({ fault, system, took, cpuSeconds, peakMebibytes, load }) => [
      `\`${fault}\``,
      system,
      ...sections.map((section) => (took === undefined ? '' : quantiles(took[section]))),
      cpuSeconds.toFixed(1),
      String(peakMebibytes),
      load.toFixed(1),
    ]),
    2,
  );
}

const sections = [
  'requestToPod',
  'podToRunning',
  'runningToConnected',
  'requestToConnected',
] as const satisfies (keyof Sections)[];

/** A figure in which Buildbot is ahead. */
export interface Behind {
  fault: string;
  figure: string;
  davit: number;
  buildbot: number;
}

/** What the systems are compared in: of each figure, less is better. */
const figures: Readonly<Record<string, (cell: PeerCell) => number | undefined>> = {
  'jobs lost': ({ lost }) => lost,
  'jobs stuck': ({ stuck }) => stuck,
  'jobs run twice': ({ runTwice }) => runTwice,
  'Pods left': ({ podsLeft }) => podsLeft,
  'request → connected, p50, ms': ({ took }) => took?.requestToConnected.p50,
  'request → connected, p99, ms': ({ took }) => took?.requestToConnected.p99,
  'CPU of the controller, s': ({ cpuSeconds }) => cpuSeconds,
  'peak memory of the controller, MiB': ({ peakMebibytes }) => peakMebibytes,
};

/** Lists every figure of every fault in which davit is behind. */
export function behindIn(cells: readonly PeerCell[]): Behind[] {
  const cellOf = (fault: string, system: PeerCell['system']) =>
    cells.find((cell) => cell.fault === fault && cell.system === system);
  return Object.entries(figures).flatMap(([figure, valueOf]) =>
    Object.keys(faults).flatMap((fault) => {
      const [own, other] = [cellOf(fault, 'davit'), cellOf(fault, 'Buildbot')];
      const davit = own && valueOf(own);
      const buildbot = other && valueOf(other);
      return davit !== undefined && buildbot !== undefined && davit > buildbot
        ? [{ fault, figure, davit, buildbot }]
        : [];
    }),
  );
}

/** Writes the document of the same faults on davit and on a peer. */
export function peerDocs(cells: readonly PeerCell[]): string {
  const inOrder = Object.keys(faults).flatMap((fault) => cells.filter((cell) => cell.fault === fault));
  const behind = behindIn(inOrder);
  const taken = [...new Set(inOrder.map(({ takenAt }) => takenAt.slice(0, 10)))].toSorted();
  const versions = [...new Set(inOrder.map((cell) => cell.versions))];
  const processors = Math.max(...inOrder.map((cell) => cell.processors));
  const atOnce = Math.max(...inOrder.map((cell) => cell.atOnce));
  const jobs = inOrder.filter(({ system }) => system === 'davit').reduce((sum, cell) => sum + cell.jobs, 0);
  const loads = inOrder.map(({ load }) => load);
  return `# The same faults on a peer

<!-- Written by \`npm run docs\` from scripts/peers: change that. \`npm run prove -- peers --keep\` makes its figures. -->

davit and [Buildbot](https://buildbot.net) 4.3 run the same jobs on one real Kubernetes, and get the same faults. Buildbot is a CI
server whose KubeLatentWorker launches a Pod for each build. None of the peers of
[the comparison](comparison.md) can be built where davit's tests run.

    npm run prove -- peers          # 1,008 jobs a system
    npm run prove -- peers --jobs 6 --only kill-running --only node-lost

## Result

Taken ${taken.join(' to ')}, ${jobs} jobs a system, at most ${atOnce} requested at once, on ${processors} processors.
${versions.map((version) => `- ${version}`).join('\n')}

**The machine was not idle.** Other programs ran beside the cluster: its load average before each fault was ${Math.min(...loads).toFixed(0)} to
${Math.max(...loads).toFixed(0)}, where ${processors} is all that it can do at once. So the times are many times those of an idle machine, and a p99 of so few
jobs is the slowest of them. Compare the two systems, if anything, and not with other pages.

${cellsTable(inOrder)}

${missingText(inOrder)}- *lost*: it began, and no agent said its end within ${patience}. *stuck*: it never began. *run twice*: two agents said its end. *begun
  again*: its first agent was taken, and another one began it.
- *Pods left*: three minutes after the last job of the fault, or as soon as none was left.

${timesTable(inOrder)}

Times are p50 / p99 in seconds, of the first agent that began the job. They have the fault in them. CPU is user and system time of
the controller, with each start of it; memory is the peak of one process. For davit that is the one-process davit, and the source
of its jobs is another process; Buildbot's master is both.

## Where davit is behind

${
  behind.length === 0
    ? 'In no figure above.'
    : markdownTable(
        ['figure', 'fault', 'davit', 'Buildbot'],
        behind.map(({ figure, fault, davit, buildbot }) => [
          figure,
          `\`${fault}\``,
          davit.toLocaleString('en'),
          buildbot.toLocaleString('en'),
        ]),
        2,
      )
}

Of the reasons, these are known:

- Where Buildbot makes another agent within a second, davit often waits for its next look: a failed launch, a lost job or a lost webhook is
  found by a sweep every two minutes, or by a reconcile every minute, and a reconcile believes a queue only when two rounds agree.
- davit runs the job of a lost node again only when its CI system has noticed that the runner is silent: GitHub takes minutes, and fails the job.
- A launch whose image cannot be pulled ends early, with the reason. If the image comes a little later, the Pod that Buildbot has kept is quicker.
- Node.js uses more memory than Python.

## The faults

${markdownTable(
  ['fault', 'what happens'],
  Object.entries(faults).map(([name, what]) => [`\`${name}\``, sentence(name, what)]),
)}

The jobs of one wave are requested at once, and get their fault together. The moment of a fault differs from wave to wave. A job
says that it begins, works for a second, and says that it ends. Where a fault hits running jobs, all of them wait until it has
happened.

## How it is measured

One program measures both systems, and asks neither: it watches the Pods of their namespaces, and hears what the agents say. A
container says that it runs before it starts its agent. A job says that it begins and ends. So *connected* means that the agent
has its job. CPU and memory come from \`/proc\`.

## Settings

Each setting that is not here has its default.

| | davit | Buildbot |
|---|---|---|
| controller | \`npm run local\` | a master with SQLite |
| source of the jobs | a local GitHub, as an App; its API is held to GitHub's description | the master's own change hook; a GitPoller, every 60 s, for changes whose webhook is lost |
| agents | the reference agent, registered by JIT configuration | buildbot-worker, started as its own image does |
| how many at once | no limit | 20 workers, \`build_wait_timeout=0\`; 104 where a node is lost |
| an agent that does not connect | \`connectSeconds: 60\` (default 600) | \`missing_timeout=60\` (default 3600) |
| a job whose agent is lost | \`rerunWhenLost: true\` | Buildbot retries by itself |
| access to the cluster | a token, with the rights of \`davit rbac\` | a bearer token: Pods, in one namespace |
| image | the reference agent's | the same, with the virtualenv mounted by \`hostPath\` |
| Pod | requests 10m CPU and 32 Mi; 5 s grace; leaves a lost node after 10 s | the same |

What this favours, and whom:

- The local GitHub fails a job 270 s after its runner died. GitHub itself takes about ten minutes, which davit then waits, too. davit runs
  a job again if its sweep (every two minutes) and then a reconcile (every minute) have seen the loss before the CI system failed the job, or if the
  Pod itself shows it when the job has failed.
- davit's source of jobs keeps its queue while davit is killed. Buildbot's source is the master, so \`ci-restarted\` stops and starts
  the master, as \`buildbot restart\` does.
- The agents differ: the last section has the start of Node.js for davit, and of Python for Buildbot.
- With 20 workers Buildbot never runs more than 20 jobs. No wave is larger. It takes the workers of a lost node for busy, for longer
  than a wave takes: so there it has 20 for each wave and some more.
- Buildbot's master asks a worker once an hour whether it lives (\`keepalive_interval\`, 3600 s by default), and restarts a build whose
  worker's connection has ended. A node that is lost ends no connection, so its jobs count as lost after ten minutes; a shorter
  interval finds them earlier.

## What cannot be run here

${markdownTable(
  ['system', 'needs', 'its published figures'],
  absent.map(({ name, needs, published }) => [name, needs, published]),
)}

Other figures that their makers publish, none of them with faults: RunsOn below 25 s cold, Depot about 5 s. Kubernetes' own goal is 5 s (p99)
from a Pod to running, without the pull of its image. They are from other machines, so they say nothing about the table above.

Who has one of these can run the same faults on it: \`test/prove/peers/system.ts\` is what a system has to do (queue a job, lose a webhook,
kill and start its controller, take its source of jobs away), and \`test/prove/peers/start-buildbot.ts\` is an example of 170 lines. Its
jobs run \`jobScript\`, its containers begin with \`startScript\`. The faults, the judge and this page need no change.
`;
}

/** Names the faults that have no figures yet. */
export function missingText(cells: readonly PeerCell[]): string {
  const missing = faultNames.flatMap((fault) =>
    systemNames
      .filter((system) => !cells.some((cell) => cell.fault === fault && cell.system === system))
      .map((system) => `\`${fault}\` on ${system}`),
  );
  return missing.length === 0 ? '' : `No figures yet: ${missing.join(', ')}.\n\n`;
}

const patience = 'its patience (ten minutes by default, two to seven in a sample)';

function quantiles({ p50, p99 }: Quantiles): string {
  return `${seconds(p50)} / ${seconds(p99)}`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 10_000 ? 2 : 1);
}

function sentence(name: string, what: (typeof faults)[FaultName]): string {
  return name === 'none' ? 'nothing: the baseline' : what;
}
