import { type CiAnswer, type CiConnection, type CiRequest, callCi } from '../../ci/ci-http.ts';
import { idOf } from '../../ci/id-of-name.ts';
import { JenkinsApi, wordsOf } from '../../ci/jenkins/jenkins-api.ts';
import { jobIdOf } from '../../ci/jenkins/job-id.ts';
import { conclusionOf } from '../../ci/jenkins/read-job.ts';
import { createRateMeter } from '../../ci/rate-meter.ts';
import { atATime } from '../../core/at-a-time.ts';
import { DavitError, TransientError } from '../../core/errors/errors.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { AcceptanceCi, Batch, SeenAttempt } from './acceptance-ci.ts';

const pauseMs = 1000;
const requestsAtATime = 8;
const crumbless = /No valid crumb/i;
const Crumb = z.object({ crumb: z.string(), crumbRequestField: z.string() });

/** How a Jenkins is reached, and as whom. */
export interface JenkinsAccess extends Pick<CiConnection, 'name' | 'timeoutMs'> {
  /** As people open it, without a slash at its end. */
  url: string;
  /** A user who may create, build, cancel, read and delete jobs. */
  user: string;
  readToken: () => Promise<string>;
  /** How often davit polls the queue, in seconds. */
  pollSeconds: number;
}

/** Where the acceptance makes its jobs. */
export interface JenkinsPlace {
  /** The folder, that is there: `team/acceptance`. @default the top */
  folder?: string;
  /** The beginning of each job's name. */
  prefix: string;
}

/** An item of the queue that the acceptance has made, and what became of it. */
interface Started {
  batch: string;
  project: string;
  itemId: number;
  /** As it was seen last. */
  seen?: SeenAttempt;
  build?: string;
}

/**
 * Runs freestyle jobs in a Jenkins: each job of a batch is a project of its own, because Jenkins runs one build of a
 * project at a time. A project asks for all labels.
 *
 * @see https://www.jenkins.io/doc/book/using/remote-access-api/
 */
export function jenkinsCi(access: JenkinsAccess, { folder = '', prefix }: JenkinsPlace): AcceptanceCi {
  const { name, url, user, readToken, pollSeconds, timeoutMs } = access;
  const parents = folder === '' ? [] : folder.split('/');
  const parentPath = parents.map((each) => `/job/${encodeURIComponent(each)}`).join('');
  const pathOf = (project: string) => `${parentPath}/job/${encodeURIComponent(project)}`;
  const where = [...parents, `${prefix}-…`].join('/');
  const projects = new Set<string>();
  const started: Started[] = [];
  let crumb: Record<string, string> = {};
  const headers = async () => ({
    authorization: `Basic ${Buffer.from(`${user}:${await readToken()}`).toString('base64')}`,
    'accept-language': 'en',
    ...crumb,
  });
  const connection: CiConnection = { name, baseUrl: url, headers, meter: createRateMeter(), timeoutMs, wordsOf };
  const api = new JenkinsApi(connection, Date.now);

  /** Posts. Jenkins asks a user who has no API token for a crumb, which belongs to a session. */
  async function post(request: Omit<CiRequest, 'method'>): Promise<CiAnswer> {
    const asked = { ...request, method: 'POST' } as const;
    const first = await callCi(connection, { ...asked, expect: [...(request.expect ?? []), 403] });
    if (first.status !== 403) return first;
    if (crumbless.test(first.text)) await takeCrumb();
    return callCi(connection, asked);
  }

  async function takeCrumb(): Promise<void> {
    const answer = await callCi(connection, { method: 'GET', path: '/crumbIssuer/api/json' });
    const read = z.safeParse(Crumb, answer.body).data;
    if (read === undefined) throw new TransientError('CiUnavailable', `${name}: an answer without a crumb`);
    const cookie = answer.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
    crumb = { [read.crumbRequestField]: read.crumb, ...(cookie.length === 0 ? {} : { cookie: cookie.join('; ') }) };
  }

  async function createProject(project: string, labels: readonly string[], seconds: number): Promise<void> {
    projects.add(project);
    const query = new URLSearchParams({ name: project });
    const xml = projectXml(labels.join('&&'), seconds);
    await post({ path: `${parentPath}/createItem?${query.toString()}`, xml });
  }

  async function build(batch: string, project: string): Promise<void> {
    const { headers: answered } = await post({ path: `${pathOf(project)}/build?delay=0sec`, expect: [302] });
    const [, itemId] = /\/queue\/item\/(\d+)/.exec(answered.get('location') ?? '') ?? [];
    if (itemId === undefined)
      throw new TransientError('CiUnavailable', `${name}: a build without an item of the queue`);
    started.push({ batch, project, itemId: Number(itemId) });
  }

  /** Reads what became of an item. Jenkins forgets it five minutes after it has left the queue, but not its build. */
  async function look(each: Started): Promise<SeenAttempt[]> {
    if (each.seen?.status === 'completed') return [each.seen];
    if (each.build === undefined) {
      const item = await api.item(each.itemId);
      if (item !== undefined) {
        const { inQueueSince, cancelled, buildable = false } = item;
        each.seen = {
          batch: each.batch,
          runId: idOf(each.project),
          jobId: jobIdOf({ id: each.itemId, inQueueSince }),
          attempt: 1,
          status: cancelled === undefined && !buildable ? 'waiting' : 'queued',
          queuedAtEpochMs: inQueueSince,
        };
        if (cancelled === true) each.seen = { ...each.seen, status: 'completed', conclusion: 'cancelled' };
        else if (item.executable?.url) each.build = item.executable.url;
      }
    }
    if (each.build !== undefined && each.seen !== undefined) each.seen = await withBuild(each.seen, each.build);
    return each.seen === undefined ? [] : [each.seen];
  }

  async function withBuild(seen: SeenAttempt, buildUrl: string): Promise<SeenAttempt> {
    const read = await api.build(buildUrl);
    if (read?.timestamp === undefined) return seen;
    const { building, builtOn, timestamp, duration = 0 } = read;
    return {
      ...seen,
      status: building ? 'in_progress' : 'completed',
      startedAtEpochMs: timestamp,
      ...present({ runnerId: builtOn ? idOf(builtOn) : undefined }),
      ...(building ? {} : { conclusion: conclusionOf(read) ?? 'none', completedAtEpochMs: timestamp + duration }),
    };
  }

  /** A build that began between two looks is stopped at the second one. */
  async function cancel(each: Started): Promise<void> {
    const [seen] = await look(each);
    if (seen?.status === 'completed') return;
    if (each.build === undefined) await post({ path: `/queue/cancelItem?id=${each.itemId}`, expect: [302, 404] });
    if (each.build === undefined) await look(each);
    if (each.build === undefined) return;
    const number = /\/(\d+)\/?$/.exec(each.build)?.[1];
    await post({ path: `${pathOf(each.project)}/${number}/stop`, expect: [302] });
  }

  return {
    pauseMs,
    agentsOutliveJobs: true,
    makes: `make jobs ${where} in ${name}`,
    leaves: `jobs ${where} stay: delete them`,
    readVersion: async () => {
      const answer = await callCi(connection, { method: 'GET', path: '/api/json?tree=nodeName' });
      return `Jenkins ${answer.headers.get('x-jenkins') ?? 'of an unknown version'}`;
    },
    // The first job shows that the user may make jobs.
    open: async () => createProject(`${prefix}-first`, ['none'], 1),
    close: async () => {
      const errors: Error[] = [];
      await atATime(requestsAtATime, [...projects], async (project) => {
        try {
          await post({ path: `${pathOf(project)}/doDelete`, expect: [302, 404] });
          projects.delete(project);
        } catch (error) {
          if (!(error instanceof DavitError)) throw error;
          errors.push(error);
        }
      });
      const [first] = errors;
      if (first !== undefined) throw first;
    },
    start: async (batch) => {
      for (const project of projectsOf(batch, prefix)) {
        // davit learns which job an agent runs only by looking while it runs.
        await createProject(project, batch.labels, Math.max(batch.seconds, 2 * pollSeconds + 2));
      }
      await atATime(requestsAtATime, projectsOf(batch, prefix), (project) => build(batch.name, project));
    },
    listAttempts: async (batches) => {
      const asked = started.filter(({ batch }) => batches.includes(batch));
      const seen: SeenAttempt[] = [];
      await atATime(requestsAtATime, asked, async (each) => void seen.push(...(await look(each))));
      return seen;
    },
    cancel: async (batch) => {
      // The last ones first: they wait, and would get the agents of those that run.
      for (const each of started.filter((other) => other.batch === batch).toReversed()) await cancel(each);
    },
    rerun: async (runId) => {
      const [first] = started.filter(({ project }) => idOf(project) === runId);
      if (first !== undefined) await build(first.batch, first.project);
    },
  };
}

function projectsOf({ name, jobs }: Batch, prefix: string): string[] {
  return Array.from({ length: jobs }, (_, index) => `${prefix}-${name}-${index + 1}`);
}

/** Writes the configuration of a freestyle project, without a quiet period. Its step needs a shell and `sleep`. */
function projectXml(expression: string, seconds: number): string {
  return (
    `<?xml version='1.0' encoding='UTF-8'?>\n<project><scm class="hudson.scm.NullSCM"/><quietPeriod>0</quietPeriod>` +
    `<assignedNode>${inXml(expression)}</assignedNode><canRoam>false</canRoam><builders><hudson.tasks.Shell>` +
    `<command>sleep ${seconds}</command></hudson.tasks.Shell></builders></project>`
  );
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
