import type { Command } from 'commander';
import { present } from '../../core/present.ts';
import { printable } from '../../core/printable.ts';
import type {
  LostWebhooksView as LostWebhooks,
  QueuedJobView as QueuedJob,
  RefusedWebhooksView as RefusedWebhooks,
} from '../../functions/jobs/queued-job-view-schema.ts';
import { type ApiClient, answered } from '../api/client.ts';
import { readPages } from '../api/read-pages.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { durationWords } from '../view/duration.ts';
import { refusedAdvice } from '../view/explanation.ts';
import { type Column, table } from '../view/table.ts';
import type { Launch } from '../view/timeline.ts';
import { isIdleWarm, standsBy } from '../view/warm.ts';
import { type ApiOptions, apiCommand, openApi, wholeNumber, withLaunchFilters } from './command-options.ts';
import { listLaunches } from './list-launches.ts';

interface JobOptions extends ApiOptions {
  ciSystem?: string;
  profile?: string;
  repository?: string;
  limit: number;
}

interface AgentOptions extends ApiOptions {
  profile?: string;
  cluster?: string;
  repository?: string;
  limit: number;
}

/** Adds `davit jobs` and `davit agents`. */
export function addJobCommands(program: Command, terminal: Terminal): void {
  apiCommand(
    program,
    'jobs',
    'list the queued jobs, oldest first, what each waits for, and webhooks that were refused',
    'davit jobs',
    "davit jobs --repository acme/app -o json | jq '.[].waitsFor.detail'",
  )
    .option('--ci-system <name>', 'of this CI system')
    .option('--profile <name>', 'that this profile takes')
    .option('--repository <owner/name>', 'of this repository')
    .option('--limit <n>', 'the most to list', wholeNumber, 20)
    .action((options: JobOptions) => listJobs(terminal, options));
  withLaunchFilters(
    apiCommand(
      program,
      'agents',
      'list the agents, with the job of each',
      'davit agents',
      "davit agents -o json | jq '.[] | select(.job == null) | .agentName'",
    ),
  )
    .option('--limit <n>', 'the most to list', wholeNumber, 100)
    .action((options: AgentOptions) => listAgents(terminal, options));
}

async function listJobs(terminal: Terminal, options: JobOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const { jobs, refusedWebhooks, lostWebhooks } = await withProgress(terminal, 'listing jobs', readJobs(api, options));
  if (options.output === 'json') return terminal.line(JSON.stringify(jobs, undefined, 2));
  for (const line of jobs.length === 0 ? [] : table(jobColumns, jobs, terminal.columns)) terminal.line(line);
  if (jobs.length === 0) terminal.note('No such job is queued.');
  const now = terminal.nowEpochMs();
  for (const refused of refusedWebhooks) for (const line of refusedLines(refused, now)) terminal.note(line);
  for (const lost of lostWebhooks) if (lost.foundWithinSeconds > longSeconds) terminal.note(lostLine(lost));
}

async function readJobs(
  api: ApiClient,
  options: JobOptions,
): Promise<{ jobs: QueuedJob[]; refusedWebhooks: RefusedWebhooks[]; lostWebhooks: LostWebhooks[] }> {
  const { ciSystem, profile, repository, limit } = options;
  const filter = present({ ciSystem, profile, repository });
  let [refusedWebhooks, lostWebhooks]: [RefusedWebhooks[], LostWebhooks[]] = [[], []];
  const jobs = await readPages(limit, async (page) => {
    const answer = await api.GET('/jobs', { params: { query: { ...filter, ...page } } });
    const { jobs: items, cursor, ...first } = answered(answer, 'jobs');
    ({ refusedWebhooks = refusedWebhooks, lostWebhooks = lostWebhooks } = first);
    return { items, cursor };
  });
  return { jobs, refusedWebhooks, lostWebhooks };
}

/** A time that is worth a line: a job whose webhook is lost waits for longer than for its agent, in seconds. */
const longSeconds = 600;

function lostLine({ ciSystem, foundWithinSeconds }: LostWebhooks): string {
  const within = durationWords(foundWithinSeconds * 1000);
  return `a webhook of ${ciSystem} that is lost is found within ${within}: its repositories take turns (docs/limits.md)`;
}

/** A CI system whose webhooks are refused shows no job. So its refusals belong to the list of jobs. */
function refusedLines({ ciSystem, count, lastAt, why }: RefusedWebhooks, nowEpochMs: number): string[] {
  const ago = durationWords(nowEpochMs - Date.parse(lastAt));
  return [
    `warning: davit refused ${count} ${count === 1 ? 'webhook' : 'webhooks'} of ${ciSystem}, the last one ${ago} ago: ${printable(why)}`,
    `  → ${refusedAdvice}`,
  ];
}

const jobColumns: Column<QueuedJob>[] = [
  { title: 'REPOSITORY', of: ({ repository }) => repository, mostOnTerminal: 30 },
  { title: 'JOB', of: ({ name }) => name, mostOnTerminal: 30 },
  { title: 'PROFILE', of: ({ profile }) => profile ?? '' },
  { title: 'QUEUED FOR', of: ({ waitsForSeconds }) => durationWords(waitsForSeconds * 1000) },
  { title: 'WAITS FOR', of: ({ waitsFor }) => waitsFor.detail },
];

async function listAgents(terminal: Terminal, options: AgentOptions): Promise<void> {
  const api = await openApi(options, terminal);
  const asked = listLaunches(api, { ...options, status: ['connected', 'launching'] });
  const agents = await withProgress(terminal, 'listing agents', asked);
  if (options.output === 'json') return terminal.line(JSON.stringify(agents, undefined, 2));
  if (agents.length === 0) return terminal.note('There is no such agent.');
  for (const line of table(agentColumnsAt(terminal.nowEpochMs()), agents, terminal.columns)) terminal.line(line);
}

/**
 * An agent's work, and since when. Calls an agent idle only if davit knows its jobs, warm if it was launched for none, and
 * standby if it is not registered.
 */
function doingOf(agent: Launch): { what: string; since: string } {
  const { status, job, requestedAt, connectedAt } = agent;
  if (status === 'launching') return { what: 'launching', since: requestedAt };
  if (job === undefined) return { what: restOf(agent), since: connectedAt ?? requestedAt };
  return { what: job.finishedAt === undefined ? 'busy' : 'finished', since: job.finishedAt ?? job.startedAt };
}

function restOf(agent: Launch): string {
  if (agent.plan?.join === undefined) return 'connected';
  if (standsBy(agent)) return 'standby';
  return isIdleWarm(agent) ? 'warm' : 'idle';
}

function agentColumnsAt(nowEpochMs: number): Column<Launch>[] {
  return [
    { title: 'AGENT', of: ({ agentName }) => agentName },
    { title: 'IS', of: (agent) => doingOf(agent).what },
    { title: 'FOR', of: (agent) => durationWords(nowEpochMs - Date.parse(doingOf(agent).since)) },
    { title: 'PROFILE', of: ({ plan }) => plan?.profile ?? '' },
    { title: 'CLUSTER', of: ({ plan }) => plan?.cluster ?? '' },
    {
      title: 'JOB',
      of: ({ job }) => (job === undefined ? '' : [job.repository, job.name ?? job.jobKey].join(' ').trim()),
    },
  ];
}
