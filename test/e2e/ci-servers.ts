import { delimiter } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sign } from '@octokit/webhooks-methods';
import type { RunnerProvider } from '../../core/ci/ci-system-config.ts';
import { signedHook, startFakeBuildkite } from '../support/buildkite/start-fake-buildkite.ts';
import { startFakeForgejo } from '../support/forgejo/start-fake-forgejo.ts';
import { type HookTarget, hookHeaders, startFakeGitlab } from '../support/gitlab/start-fake-gitlab.ts';
import { startFakeJenkins } from '../support/jenkins/start-fake-jenkins.ts';

/** A CI server, which davit polls. */
export interface CiServer {
  /** The keys of its entry in `davit.yaml` without its secrets. */
  entry: Record<string, string | number>;
  token: string;
  queue: (script: string) => QueuedJob;
  /** The secrets that agents have joined with. */
  secrets: () => string[];
  /** What is left of davit's agents there, and what went wrong. */
  left: () => unknown[];
  stop: () => Promise<void>;
  /** Where it sends its webhooks by itself, if it does. */
  sendTo?: (target: HookTarget) => void;
}

/** A job of a CI server. */
export interface QueuedJob {
  isOver: () => boolean;
  log: () => string;
  /** How many agents it was given to. */
  agents: () => number;
}

/** Servers of one kind, and the agents for their jobs. */
export interface CiKind {
  provider: RunnerProvider;
  /** Of the jobs. */
  labels: readonly string[];
  start: () => Promise<CiServer>;
  /** Makes the headers of a webhook that makes davit poll. */
  sign: (secret: string, body: string) => Record<string, string> | Promise<Record<string, string>>;
}

const labels = ['linux', 'docker'];
const signBody = async (secret: string, body: string) => ({ 'x-hub-signature-256': await sign(secret, body) });

/** The kinds of servers that davit polls. */
export const kinds: readonly CiKind[] = [
  {
    provider: 'buildkite',
    labels: ['queue=default', 'os=linux'],
    start: startBuildkite,
    sign: (secret, body) => signedHook(secret, 'job.scheduled', body),
  },
  { provider: 'forgejo', labels, start: startForgejo, sign: signBody },
  { provider: 'gitlab', labels, start: startGitlab, sign: hookHeaders },
  { provider: 'jenkins', labels, start: startJenkins, sign: signBody },
];

async function startBuildkite(): Promise<CiServer> {
  const buildkite = await startFakeBuildkite();
  const { url, queue, token, state } = buildkite;
  return {
    entry: { url, organization: 'acme', queue },
    token,
    queue: (command) => {
      const job = state.enqueue({ rules: ['os=linux'], step: 'test', command });
      return { isOver: () => job.exitStatus === '0', log: () => job.log, agents: () => job.acquiredBy.length };
    },
    secrets: () => [...state.tokens.keys()],
    left: () => [...[...state.agents.values()].filter((agent) => agent.isConnected), ...state.inState('reserved')],
    stop: () => buildkite.stop(),
  };
}

async function startForgejo(): Promise<CiServer> {
  const forgejo = await startFakeForgejo();
  const { url, scope, token, state } = forgejo;
  return {
    entry: { url, scope },
    token,
    queue: (command) => {
      const job = state.enqueue({ command });
      return { isOver: () => job.status === 'success', log: () => job.log, agents: () => job.takenBy.length };
    },
    secrets: () => state.tokens,
    left: () => [...state.runners.values()],
    stop: () => forgejo.stop(),
  };
}

/** A paused runner may get a job for a second: a minute would be as good, and the tests would wait for it. */
async function startGitlab(): Promise<CiServer> {
  const gitlab = await startFakeGitlab();
  const { url, token, state, handOut, exchanges, delivered } = gitlab;
  // A job is handed out a moment after the server has looked whether its runner is paused.
  handOut.between = async () => sleep(150);
  return {
    entry: { url, group: 'acme', settleSeconds: 1 },
    token,
    queue: (script) => {
      const job = state.queue({ project: 'acme/tools/lib', name: 'build', tags: ['linux'], script });
      return { isOver: () => job.status === 'success', log: () => job.log, agents: () => job.handedTo.length };
    },
    secrets: () => exchanges.flatMap(({ path, body }) => (path === '/jobs/request' ? tokenIn(body) : [])),
    left: () => [...state.runners.values(), ...state.deletedBusy, ...delivered.filter((status) => status !== 202)],
    stop: () => gitlab.stop(),
    sendTo: (target) => {
      gitlab.hook = target;
    },
  };
}

function tokenIn(body: unknown): string[] {
  const isGiven = typeof body === 'object' && body !== null && 'token' in body && typeof body.token === 'string';
  return isGiven ? [body.token as string] : [];
}

/** Every other job is a pipeline's. */
async function startJenkins(): Promise<CiServer> {
  const jenkins = await startFakeJenkins();
  const { url, user, state, exchanges } = jenkins;
  let queued = 0;
  return {
    entry: { url, user: user.name },
    token: user.apiToken,
    queue: (script) => {
      queued += 1;
      const name = `job-${queued}`;
      if (queued % 2 === 0) jenkins.enqueuePipeline({ name, label: 'docker||windows', script });
      else jenkins.enqueueFreestyle({ name, label: 'linux && docker', script });
      const builds = () => state.builds.filter(({ job }) => job === name);
      return {
        isOver: () => builds()[0]?.result === 'SUCCESS',
        log: () =>
          builds()
            .map(({ log }) => log)
            .join(''),
        agents: () => builds().length,
      };
    },
    secrets: () => state.builds.flatMap(({ builtOn }) => (builtOn === undefined ? [] : jenkins.secretOf(builtOn))),
    left: () => [
      ...[...state.nodes.keys()].filter((name) => name !== 'davit-signpost'),
      ...exchanges.filter(({ path }) => path.includes('toggleOffline')),
    ],
    stop: () => jenkins.stop(),
  };
}

const inSupport = (path: string) => fileURLToPath(new URL(`../support/${path}`, import.meta.url));

/** Where this machine has the stand-ins for the agents' programs. */
export const searchPath = [...kinds.map(({ provider }) => inSupport(`${provider}/bin`)), '/usr/bin', '/bin'].join(
  delimiter,
);

/** The agents' environment, which leads to their programs. */
export const environment = {
  PATH: searchPath,
  TEST_NODE: process.execPath,
  TEST_BUILDKITE_AGENT: inSupport('buildkite/buildkite-agent.ts'),
  TEST_FORGEJO_RUNNER: inSupport('forgejo/forgejo-runner.ts'),
  TEST_GITLAB_RUNNER: inSupport('gitlab/gitlab-runner.ts'),
  TEST_JENKINS_AGENT: inSupport('jenkins/jenkins-agent.ts'),
};
