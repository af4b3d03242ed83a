import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { KeptRuns } from '../../simulation/kept-runs.ts';
import { tables } from '../../simulation/report.ts';
import { markdownTable } from '../cost/markdown.ts';
import { evidenceDocs } from './evidence-docs.ts';
import type { FoundMistakes } from './found-mistakes.ts';
import type { QueueRun } from './queue-runs.ts';
import { standIns } from './stand-ins.ts';

const Kill = z.object({
  name: z.string(),
  /** The first seed that kills the mutant; null for a mutant that survives. */
  seed: z.int().nullable(),
  /** The invariant that it breaks. */
  breaks: z.string().nullable(),
});
/** The result of one mutant in worlds with random faults. */
export type Kill = z.infer<typeof Kill>;

const Kills = z.object({
  /** How many worlds each mutant got. */
  seeds: z.int(),
  kills: z.array(Kill),
});
/** The results of `npm run prove -- mutants`. */
export type Kills = z.infer<typeof Kills>;

/** The file with the results of the largest run. */
export const runsFile = new URL('runs.json', import.meta.url);

/** The file with the mutants' results. */
export const killsFile = new URL('kills.json', import.meta.url);

/** Reads the mutants' results. @throws ZodError for a file of another kind */
export function readKills(): Kills {
  return Kills.parse(JSON.parse(readFileSync(killsFile, 'utf8')));
}

/** Writes the document about the simulation and the real queues. */
export function proofDocs(
  { code, fromSeed, times, seeds, judgedBy, tally }: KeptRuns,
  codeNow: string,
  kills: Kills,
  queueRuns: readonly QueueRun[],
  mistakes: FoundMistakes,
): string {
  const killed = kills.kills.filter(({ seed }) => seed !== null).length;
  return `# Proof

<!-- Written by \`npm run docs\` from scripts/proof: change that. -->

Two proofs run davit as a whole: a simulation of everything around it, and real queues of a real Gitea. Two checkers judge the
traces and the histories of any run: of a test, of a real system, and of yours. [The same faults on a peer](peers.md) compares
davit with Buildbot on a real Kubernetes.

## Simulation

davit's own functions and its state machine, \`statemachine/launch.asl.json\`, run in simulated worlds. A world simulates
everything around davit: Kubernetes, DynamoDB, Step Functions, Lambda, EventBridge, CI servers, agents and people. It has
one thread, one virtual clock, and one seed that makes every choice. A judge reads the whole history of each run. It accepts
an ending or a relaunch only if that launch's history has a cause for it, as \`simulation/invariants/causes.ts\` lists them.

Half of the worlds have a CI system with a queue, which hands each job to any idle runner whose labels match: as GitHub
does (a name only once, no delete of a busy runner) or as Gitea does (names twice, hand-outs that outlast a disabled
runner, deletes of busy ones). Its webhooks are lost, late, repeated and in another order. Its API fails, is slow, and
returns lists that are seconds old. Jobs are cancelled and run again. Other people's runners take jobs, also under an
agent's name.

In two of five such worlds davit polls the CI system. Jenkins and GitLab keep a runner after its job: a Jenkins gives it another one,
under one lock with its look at the node, and a GitLab hands out jobs for a minute after it has paused a runner; its webhooks
name a job and say no more. In a Forgejo and a Buildkite davit chooses the job of each agent: another runner may take it before,
and a Buildkite keeps it for davit for five minutes at a time. The poller dies at any moment, or nothing polls for five minutes.
\`npm run simulate -- --ci gitlab\` runs worlds of one kind.

\`docs/model.md\` has proofs for every order of the steps. [Mutation testing](mutation.md) changes the code one
expression at a time.

The simulation has found these defects, among others:

- A late create could make a second Pod, whose agent got the first Pod's address (ADR 10).
- A suspended function treated a slow image pull as one that never ends.
- A node was lost with its Pod, and a late create gave the Pod's name to another Pod. davit ended the launch instead of
  launching it again (seed 1358).
- A Pod of an earlier attempt was lost with its node before davit first saw it, and davit ended its launch (seed 7543).
- Reconciling skipped a job whose record it could not write, and retired the agent that the job was about to get.
- A schedule's event came twice, and two looks at one old list counted as two.

A run of 76,000 seeds with 380,179 launches, of version 1b694b3, broke an invariant in 22 of its runs:

- davit was wrong in eight, by six errors, all mended. CreatePod failed a launch whose Pod's node was shut down (seed
  684). A job whose launch was already over lost its turn for a free slot (29263, 73277). An idle warm agent held the slot of
  its repository (56148). Two incomplete job lists, each without another new job, retired a new agent (16511, 32589). The
  sweep took the Pod of another owner for the agent's (38332). An agent whose job's webhooks were all lost, and whose runner
  the CI system had forgotten, counted as idle, so davit retired another idle agent (74534).
- The judge was wrong in twelve, by three errors, all mended. It dated an outage from a call's end instead of its start (14506,
  16632, 17161, 30989, 33190, 36068, 48999, 61356). It missed a fault that cut an ending off from its clean-up (8692, 61571).
  It wanted one reason where two retirements of one agent met (15612, 53402).
- The simulated world was wrong in two: it stopped reconciling while a job waited for a slot (24095, 51243).

An earlier, less strict judge checked 290,000 seeds with 1,013,843 launches. A run of 200,000 seeds with 1,000,408 launches, of the code
and the judge with these mends, broke an invariant in 5 of its runs, all mended:

- davit was wrong in one (178124). A run of a step that went on after a relaunch recorded what it had seen at the old Pod. The
  same trouble at the new Pod counted from that moment, so its grace period ended early.
- The judge was wrong in three. It ignored a call that stood still, which davit had given up (85092). It missed some faults
  that cut an ending off from its clean-up (155444, 165739).
- The simulated world was wrong in one: a Pod outlived its node (143741).

Since then the worlds have themes, more faults and more judges. The first 55,000 seeds of such worlds, 322,707 launches, broke an
invariant in 7 runs, and davit was wrong in none:

- The judge was wrong in five, by four errors, all mended. A failed launch counts for an hour (27142). A launch that was counted
  before the one before it had failed is requested at once (45661, 50614). An agent that has ended is no agent of its pool, even
  before a sweep has recorded it (44337). A completed job of a launch whose record has expired ends no later launch (4386).
- The simulated world was wrong in two: it stopped reconciling while long jobs waited for one agent (24722, 30424).

A run of 350,000 seeds with 2,050,685 launches broke an invariant in 76 of its runs, all mended:

- davit was wrong in four, by three errors. A second run of one connect request, after the first had registered the agent,
  began another registration; on a Gitea it took out the runner just when a job was handed to it (117449). Two reconciles at
  once both asked for a re-run, and the second request came when the first re-run was over (200573). A job was noted as begun,
  and its agent was not bound to it, because the function died in between; nobody asked for that job again, so a pool of warm
  agents paused (128426, 185355).
- The judge was wrong in 70. A new invariant compared moments by clocks that are off, in 67 runs; it is another one now. It missed
  that a function may have read the record of a cluster that was away anew meanwhile (208555), and that clocks may be off when a
  warm agent has lived for five minutes (195336, 197858).
- The simulated world was wrong in one: it counted agents for a limit that does not count them (107006).
- One was not traced before its world changed (282334).

Then the worlds got four more faults and two more invariants, and one seed of 38,000 showed that davit was wrong again: a job whose
function had bound it to an agent, and had died before it noted that, got a second agent (1033747).

Of 23,000 seeds with that mend, two broke an invariant. davit was wrong in both, and both are mended. A job that had run, and whose
events were all lost, got a surplus agent in a round that had no room to list the jobs of its repository (14813). A launch that
had waited for room, and whose cluster then went away, waited for it without an end (22816). The same 23,000 seeds with these mends,
133,651 launches, broke none.

Then two of five queues got a CI system that davit polls. Their first worlds showed that davit was wrong in three ways, all
mended, each with a test. A retirement that died after it had noted that a runner is gone was never finished, on any system: an
agent that did not exit by itself stayed until its lifetime was over. A pinned job whose poll had died before it noted that the job
runs got a second launch. A job that was cancelled, or that another agent got after its launch was over, was written down as one
that the launch's own agent had run. Of the next 6,000 such worlds, 180,000 launches, six broke an invariant. davit was wrong in four,
by one error: a job that was cancelled while its agent registered again was written down as one that this agent had run. In two,
the judge wanted a sweep to start a launch while most of the sweep's requests to DynamoDB failed.

Since then \`--times 6\` gives each world six times as many jobs, so that they meet more often.

\`npm run bench -- --only ci-systems\` saw what no invariant had asked about: five of some 350 polled jobs waited for a minute. Reconciling
had seen them just before the poll, and the poll took a job with a record for one with an agent. It is mended, and the judge now
judges each poll by what the poll saw in the queue. That found a second way in at once: a list that lacks a job. Of 9,000 worlds with
these mends, 269,048 launches, one broke another invariant, and davit was wrong: an agent whose job's webhooks were all lost ended
between two reads of a round, and the job, which had run, got a second agent (5364). It is mended, with a test.

Then somebody who had not written it looked for what the worlds cannot produce. davit was wrong in nine places, each mended with a test that
failed before. Four ended a running build or let a job wait for ever: a registration at Buildkite that was late was taken for the one after it,
whose runner has the same id; a poll took a job for over that one answer lacked; and a scale set's late news of a job were taken for news
of its next attempt, or for its end. A lagging answer is a fault of the worlds now: five of 150 GitLabs broke an invariant before, none since.
Worlds in which a runner's name has one id for ever, and scale sets, are still missing.

A runner that is told to stop fails its job at once. Since the worlds have such runners, davit has that job run again, too. Of the first 2,500
worlds, one broke an invariant (2383): the simulated node announced the end of a Pod by a reason that Kubernetes does not use for it.
9,000 worlds of the code with that mend broke none, and 9,000 of the next code none, in which the events of a burst no longer take each
other's slots: 273,500 launches each.

Then warm agents stand by. Of 55,000 worlds, 1,668,845 launches, eight broke an invariant, all mended. davit was wrong in one (37880): a
function had taken out a runner, because its agent registered again, and died before it noted that; a job on a runner of somebody else
was bound to the launch. The judge was too strict in six: a node takes the Pods of launches that met no fault (25968); while a cluster
cannot be reached, nobody sees that an agent there has ended (21577); two runs of one round are one look (47735); a create whose answer
is late makes a Pod after its launch has ended (43998, 45279, 52625). In one, the world had no sweeps between its two parts (34190). Somebody
who read the code found what no world could show: an App's list shows a webhook that timed out late, behind newer ones, and davit
had read on. The worlds list such attempts late now.

This is ${code === codeNow ? 'a run of the code of this commit' : 'the last long run, of older code'}:

    npm run simulate -- --seed ${fromSeed} --seeds ${seeds}${times === 1 ? '' : ` --times ${times}`} --keep scripts/proof/runs.json

${tables(tally, judgedBy)}

### The judge's own test

\`test/prove/simulation/mutants.test.ts\` shows that the judge can fail: it breaks davit in one place at a time, with the faults
that bring it to light, and the judge notices each. \`npm run prove -- mutants\` gives each of these mutants ${kills.seeds.toLocaleString('en')} worlds
with faults at random: there, the judge notices ${killed} of ${kills.kills.length}. At random, a queue has sizes or warm agents. The mutants that need both
get worlds with both, and mostly with limits, as \`npm run simulate -- --mixed\` makes them.

${markdownTable(['defect put into davit', 'first seed that shows it', 'invariant'], kills.kills.map(rowOf))}

${evidenceDocs(mistakes)}
${queueDocs(queueRuns)}
## Services that the tests cannot reach

${markdownTable(
  ['service', 'why', 'stand-in', 'open questions'],
  standIns.map(({ what, why, standIn, open }) => [what, why, standIn, open]),
)}
`;
}

function queueDocs(runs: readonly QueueRun[]): string {
  const rows = runs.map(({ cluster, seed, takenAt, problems, ...counts }) => [
    cluster,
    String(seed),
    takenAt.slice(0, 10),
    String(counts.jobs),
    String(counts.crossed),
    String(counts.cancelled),
    String(counts.agents),
    String(counts.replacements),
    `${counts.tookSeconds} s`,
    problems.length === 0 ? 'none' : problems.join('; '),
  ]);
  return `## A real queue

\`npm run prove -- ci\` starts a Gitea 1.26 and a davit, and runs workflows whose jobs any agent with the right labels may take.
A seed has ten jobs of three profiles, with a matrix, \`needs\`, and runs that cancel each other; each second seed runs a
workflow again. Webhooks come up to a second late and overtake each other.

| suite | faults |
| --- | --- |
| \`queue\` | 20 seeds; in 5 more, three in ten webhooks are lost |
| \`hard-queue\` | 3 seeds: davit is killed with -9 and starts again, Gitea restarts, its API is slow, answers 429 and 500, and loses answers; jobs of a repository that no profile takes stay queued. No job needs another: Gitea 1.26 forgets to unblock a job when it restarts just then |
| \`by-job-id\` | a copy of davit with its earlier rule: an agent ends with the job that requested it. The judge sees agents that end in the middle of other jobs, or jobs that wait for ever |

The judge asks Gitea and the cluster: no agent was ended while Gitea said that it ran a job, no job is left, no runner is left
in Gitea and no Pod in the cluster, and no job's attempt has more than one agent and eight counted replacements. Jobs that a
newer run of their concurrency group cancels are the only ones that may fail.

The hard queue has found a defect: after a kill at one certain moment, the local runtime listed a launch under a status that it did
not have, and no sweep ended its agent.

More jobs a seed, recorded by \`npm run prove -- ci --record\`; *crossed* are jobs that ran on an agent that another job had
asked for:

${markdownTable(
  ['agents in', 'seed', 'when', 'jobs', 'crossed', 'cancelled', 'agents', 'replacements', 'took', 'problems'],
  rows,
)}
`;
}

function rowOf({ name, seed, breaks }: Kill): string[] {
  return [name, seed === null ? 'none; by name in the test' : String(seed), breaks ?? ''];
}
