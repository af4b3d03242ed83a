import type { CiRunner } from '../../core/ci/ci-scope.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { byJobId } from '../../core/job/job-id.ts';
import type { CiInspection } from '../../ports/ci-inspection.ts';
import type { CiSystem, ListedRunner } from '../../ports/ci-system.ts';
import type { CiAccess } from '../ci-credentials.ts';
import { idOf } from '../id-of-name.ts';
import { createRateMeter } from '../rate-meter.ts';
import { refusalsOf } from '../refusals.ts';
import { type JenkinsNode, runningOn } from './answers.ts';
import { JenkinsApi, wordsOf } from './jenkins-api.ts';
import { jobOf, needsSignpost, runningJobOf } from './job-of.ts';
import { mayResume, waitsToResume } from './may-resume.ts';
import { type JobOnNode, readJob } from './read-job.ts';

/** How davit reaches a Jenkins, and as whom: by the user's API token. */
export interface JenkinsOptions extends CiAccess {
  user: string;
  /** @default the system's */
  nowEpochMs?: () => number;
}

/** The prefix of the reasons that davit gives when it sets a node offline. */
const ownCause = 'davit:';

/**
 * A node without an agent and without labels. Jenkins says for which label a pipeline waits only while it has a node
 * besides the built-in one.
 */
const signpost = 'davit-signpost';

/**
 * Acts in a Jenkins, version 2.479 or newer. A runner is a node whose name is used once.
 *
 * @see https://www.jenkins.io/doc/book/using/remote-access-api/
 */
export function createJenkins(options: JenkinsOptions): CiSystem & CiInspection {
  const { name, url, user, readToken, renew, timeoutMs, nowEpochMs = Date.now } = options;
  const refuse = refusalsOf(name, 'Jenkins');
  const meter = createRateMeter();
  const headers = async () => ({
    // A secret often ends in a line break that is not part of it, and `fetch` cuts none off in base64.
    authorization: `Basic ${Buffer.from(`${user}:${(await readToken()).trim()}`).toString('base64')}`,
    // davit reads the reasons why items wait, which Jenkins translates.
    'accept-language': 'en',
  });
  const api = new JenkinsApi({ name, baseUrl: url, headers, renew, meter, timeoutMs, wordsOf }, nowEpochMs);
  /** The job that each node runs, as this process last saw it. */
  const jobOnNode = new Map<string, JobOnNode>();

  async function nodeOf(runnerId: number): Promise<JenkinsNode | undefined> {
    return (await api.nodes()).find(({ displayName }) => idOf(displayName) === runnerId);
  }

  /** Sets a node offline, unless davit has done so already. */
  async function stop({ displayName, ...node }: JenkinsNode, reason: string): Promise<void> {
    if (!isStopped(node)) await api.setOffline(displayName, `${ownCause} ${reason}`);
  }

  async function findRunners(namePrefix: string): Promise<ListedRunner[]> {
    const own = (nodes: JenkinsNode[]) => nodes.filter(({ displayName }) => displayName.startsWith(namePrefix));
    const listed = own(await api.nodes());
    const isOlder = listed.some(({ description }) => api.session.hasRestartedSince(description ?? ''));
    const items = isOlder ? await api.queue() : [];
    return (isOlder ? own(await api.nodes()) : listed).map((node) => ({
      ...runnerNamed(node.displayName),
      isBusy: !node.idle || mayResume(api.session, node, items),
    }));
  }

  async function makeSignpost(): Promise<void> {
    try {
      await api.createNode(signpost, []);
    } catch (error) {
      if (!(error instanceof TransientError && error.code === 'WriteConflict')) throw error;
    }
  }

  return {
    // Jenkins reads whether a node is offline, and gives it work, under one lock.
    settleMs: 0,
    idsAreNames: true,
    usage: () => meter.usage(),
    register: async (_scope, runner) => {
      await api.createNode(runner.name, runner.labels);
      const secret = await api.secretOf(runner.name);
      return {
        runner: runnerNamed(runner.name),
        environment: { JENKINS_URL: url, JENKINS_AGENT_NAME: runner.name, JENKINS_SECRET: secret },
      };
    },
    stopAssigning: async (_scope, runnerId) => {
      const node = await nodeOf(runnerId);
      if (node !== undefined) await stop(node, 'this agent is no longer needed');
    },
    limitToOneJob: async (_scope, runnerId) => {
      const node = await nodeOf(runnerId);
      // A pipeline goes on after a restart of Jenkins, but only on a node that is online.
      if (node === undefined || !runningOn(node).some(({ isWholeBuild }) => isWholeBuild)) return false;
      await stop(node, 'this agent runs one job');
      return true;
    },
    mayHaveHadJob: async (_scope, runnerId) => {
      const node = await nodeOf(runnerId);
      return node === undefined || hasConnected(node) || api.session.hasRestartedSince(node.description ?? '');
    },
    runningJob: async (_scope, runnerId) => {
      const node = await nodeOf(runnerId);
      return node && runningJobOf(node, url);
    },
    removeIfIdle: async (_scope, runnerId) => {
      const first = await nodeOf(runnerId);
      if (first === undefined) return 'gone';
      await stop(first, 'this agent is no longer needed');
      const items = await api.queue();
      const node = await nodeOf(runnerId);
      if (node === undefined) return 'gone';
      // Jenkins would delete a busy node, too. A person may have brought it back online.
      if (!node.idle || !isStopped(node) || mayResume(api.session, node, items)) return 'busy';
      return (await api.deleteNode(node.displayName)) ? 'removed' : 'gone';
    },
    findRunners: async (_scope, namePrefix) => findRunners(namePrefix),
    runnersOnPage: async (_scope, namePrefix, page) => ({
      runners: page === 1 ? await findRunners(namePrefix) : [],
      isLast: true,
      pages: 1,
    }),
    runnersNamed: async (_scope, runnerName) => {
      const node = await nodeOf(idOf(runnerName));
      return node === undefined ? [] : [runnerNamed(node.displayName)];
    },
    listsJobsOf: 'organization',
    getRunner: async (_scope, runnerId) => {
      const node = await nodeOf(runnerId);
      return node && runnerNamed(node.displayName);
    },
    getJob: async (_repository, jobId: number, known) => readJob(api, { ...known, jobId, jobOnNode }),
    listJobs: async (_scope, statuses) => {
      if (!statuses.includes('queued')) return [];
      const items = await api.queue();
      const nodes = await api.nodes();
      if (needsSignpost(items, nodes)) await makeSignpost();
      const queued = items.filter((item) => item.buildable && !waitsToResume(api.session, item, nodes));
      return queued.flatMap((item) => jobOf(item, nodes, url) ?? []).toSorted(byJobId);
    },
    // Jenkins has no runner groups.
    checkGroup: async () => {},
    listWebhooks: async () => [],
    checkRunners: async () => {
      await makeSignpost();
      await api.secretOf(signpost);
      await api.setOffline(signpost, `${ownCause} a check`);
      await api.deleteNode(signpost);
    },
    listDeliveries: async () => ({ attempts: [] }),
    redeliver: async () => refuse('sends no webhooks of jobs'),
    rerunFailed: async () => refuse('runs no job again'),
    setCommitStatus: async () => refuse('has no commit statuses'),
  };
}

function runnerNamed(name: string): CiRunner {
  return { id: idOf(name), name };
}

/** Says whether davit has set a node offline. */
function isStopped({
  temporarilyOffline,
  offlineCauseReason,
}: Pick<JenkinsNode, 'temporarilyOffline' | 'offlineCauseReason'>): boolean {
  return temporarilyOffline && offlineCauseReason?.startsWith(ownCause) === true;
}

/**
 * Says whether an agent has connected as this node since Jenkins started: Jenkins keeps the reason why a connection ended,
 * and gives none for a node that never had one.
 *
 * @see hudson.slaves.SlaveComputer#afterDisconnect
 */
function hasConnected({ offline, offlineCauseReason }: Pick<JenkinsNode, 'offline' | 'offlineCauseReason'>): boolean {
  return !offline || Boolean(offlineCauseReason);
}
