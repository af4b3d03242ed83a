import { type FoundMistakes, mistakesTable } from './found-mistakes.ts';

/** Describes the traces of runs, the histories of jobs, and what sees which mistake. */
export function evidenceDocs(found: FoundMistakes): string {
  return `## Traces of runs

Each write of a launch's record, a job's record, a limit's slots or a cluster's state logs the record, its new revision, the
command and the fields that the protocol depends on. So does each change of a runner in a CI system, and each execution that a
sweep starts. The log line's message is \`record written\`; it has no text of a caller or a cluster, and of a registration's nonce
only a fingerprint.

    davit export-trace > trace.jsonl
    davit verify-trace trace.jsonl

\`davit export-trace\` reads the logs of a local davit, or exported CloudWatch logs. \`davit verify-trace\` sorts each record's
writes by their revisions, and checks:

- **Each step of a launch and of a job is one that the protocol has**: the command may be given in that state, and it changes
  nothing but its own fields. The rules are those of [the model](model.md).
- **Where revisions are missing, some order of steps leads from one known state to the next.** A function that dies right after a
  write does not log it. The checker searches all states that the missing steps can make.
- **What concerns several records holds**: no limit has more holders than its maximum; a launch keeps its slots until nothing of it
  is left; one agent runs a job, and is bound to it before the job's record says so; a job's next launch is counted after the one
  before was requested; a launch leaves only a cluster that is known to be away; a runner is removed only once its CI system can
  hand it no job, and no launch is recorded with it afterwards; a warm agent goes after another one has connected in its place, and
  none is launched with a slot for which a job has waited (only with \`--undisturbed\`); a sweep starts no launch that was just
  requested.

\`verify/\` has these rules, and shares with the code that they judge only the names in \`core/trace/written.ts\`; a lint rule holds
that. Three tests judge the judge. \`test/prove/simulation/transitions\` gives random commands to davit's own transitions, and takes one
guard at a time out of them: the checker accepts every trace of the former, and refuses the traces of each of the latter.
\`test/unit/verify\` leaves any steps out of a trace that is allowed: it stays allowed. The mistakes below are in whole davits.

The traces of these runs are checked each time: every end-to-end test on this machine and on a real Kubernetes, the queues of the
real Gitea, with kills too, and the chaos run.

## Histories of jobs

\`davit verify-jobs\` judges by what a CI system saw, as Jepsen judges databases, whatever davit's own records say: each job is run
once, or is cancelled, or davit says why not; no agent is ended while it runs a job; each runner runs one job; davit has a job run
again only if its agent was taken. The queues of the real Gitea, the real Hudson's own list of builds, the local GitHub's jobs in the
end-to-end tests, and the simulation's jobs are checked so. Only the simulation's history says for whom a job runs again.
\`davit verify-jobs --help\` has the file's format, and \`--jenkins\` reads Jenkins' own list.

## Twenty mistakes

\`npm run prove -- mistakes\` puts one protocol mistake at a time into a copy of the sources. The table has the first simulated
world in which each judge sees that something is wrong; *mixed* is one of \`npm run simulate -- --mixed\`,
*provoked* is a world whose faults are those in which two of the mistakes show, which is too seldom by chance; *commands* are random
commands to the transitions. The trace checker and the history checker see only what davit has logged, and what the CI system saw: no
test tells them what to expect. *model*: a model has the same mistake as one of its broken variants, and refutes it.

In the worlds that provoke \`short-page-ends-the-list\`, a simulated Gitea gives one entry a page, and davit's own reader of Gitea's
pages puts the list together. \`lists.pml\`, \`connect.pml\`, \`connection.pml\` and \`reruns.pml\` are small models of one function each:
their broken variants show that the mistake breaks what the function is for, not what then becomes of a whole davit.

${mistakesTable(found)}
`;
}
