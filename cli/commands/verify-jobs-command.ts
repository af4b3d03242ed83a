import type { Command } from 'commander';
import { jenkinsHistoryTree, readJenkinsHistory } from '../../verify/jobs/jenkins-history.ts';
import { readJobEvents, verifyJobs } from '../../verify/jobs/verify-jobs.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { type Output, withExamples, withOutput } from './command-options.ts';
import { readWith } from './evidence-file.ts';
import { showVerdict } from './show-verdict.ts';

const events = `
A line of the file is JSON: "atEpochMs" (milliseconds since 1970), "job" (an attempt of a job), "event", and what it has:

  queued
  started    "runner"; "isForeign": true for a runner that is not davit's
  completed  "conclusion"; "mayFail": true where the job itself decided on it
  explained  "why" davit has requested no agent
  taken      "why" infrastructure or a person took the agent
  again      davit asked for another attempt, when this one was the job's latest

With --jenkins, the file is Jenkins' or Hudson's answer of /api/json?tree=${jenkinsHistoryTree}.
A build that failed by itself is shown, too: Jenkins does not tell it from one whose agent was lost. The numbers of findings
count the starts and ends of builds, by their time.`;

/** Adds `davit verify-jobs`. */
export function addVerifyJobsCommand(program: Command, terminal: Terminal): void {
  const command = withOutput(
    program
      .command('verify-jobs')
      .description('check what a CI system saw of its jobs: each is run once, is cancelled, or has a reason')
      .argument('<file>', 'a history, a line for each event')
      .option('--jenkins', "the file is Jenkins' own list of builds")
      .addHelpText('after', events),
  );
  command.action((file: string, options: VerifyJobsOptions) => verify(terminal, file, options));
  withExamples(command, 'davit verify-jobs jobs.jsonl', 'davit verify-jobs --jenkins builds.json');
}

interface VerifyJobsOptions {
  output: Output;
  jenkins?: boolean;
}

async function verify(terminal: Terminal, file: string, { output, jenkins }: VerifyJobsOptions): Promise<void> {
  const read = await readWith(jenkins === true ? readJenkinsHistory : readJobEvents, file);
  if (read.length === 0) throw new CliError('usage', 'empty-history', `${file} has no event of a job`);
  const verdict = verifyJobs(read);
  const { jobs, ran, cancelled, taken, explained, runners, findings } = verdict;
  showVerdict(terminal, { file, output }, verdict, {
    counts: `${jobs} jobs: ${ran} ran, ${cancelled} cancelled, ${taken} lost their agents, ${explained} wait; ${runners} runners`,
    held: 'each job ran once, or says why not',
    broken: `${findings.length} times a job was not run as it should be`,
  });
}
