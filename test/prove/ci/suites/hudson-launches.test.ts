import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../../../core/config/config.ts';
import { runnerImages } from '../../../../local/agent/image.ts';
import { jenkinsHistoryTree, readJenkinsHistory } from '../../../../verify/jobs/jenkins-history.ts';
import { verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';
import { createJenkinsClient } from '../../../support/jenkins/jenkins-client.ts';
import { liveLaunches } from '../../../support/live-launches.ts';
import { startTestRuntime, type TestRuntime } from '../../../support/start-test-runtime.ts';
import { withCiServers } from '../../../support/with-ci-servers.ts';
import { until } from '../../cluster/until.ts';
import { buildHudson } from '../hudson/build-hudson.ts';
import { type Hudson, startHudson } from '../hudson/start-hudson.ts';

const programs = fileURLToPath(new URL('../hudson/bin', import.meta.url));
const searchPath = [programs, process.env['PATH']].join(delimiter);
const patienceMs = 120_000;
let hudson: Hudson;
let davit: TestRuntime;

beforeAll(async () => {
  hudson = await startHudson(await buildHudson((text) => process.stderr.write(`${text}\n`)));
  davit = await startTestRuntime({
    changeConfig: withHudson,
    secrets: { 'token-jenkins': hudson.user.apiToken },
    sandbox: { images: runnerImages(searchPath) },
  });
});
afterAll(async () => {
  await davit?.[Symbol.asyncDispose]();
  await hudson?.[Symbol.asyncDispose]();
});

function withHudson(config: Config): Config {
  return withCiServers(config, {
    provider: 'jenkins',
    servers: { jenkins: { url: hudson.url, user: hudson.user.name } },
    labels: ['linux', 'docker'],
    environment: { PATH: searchPath, TEST_SLAVE_JAR: hudson.slaveJar },
  });
}

const live = () => liveLaunches(davit);

async function nodes(): Promise<string[]> {
  const { url, user } = hudson;
  const client = createJenkinsClient({ url, userName: user.name, apiToken: user.apiToken });
  const names = (await client.listComputers()).map(({ displayName }) => displayName);
  return names.filter((name) => name.startsWith('davit-'));
}

/** Waits until no agent, no launch, no Service and no Pod is left. */
async function untilAllIsGone(): Promise<void> {
  await until('no agent and no launch is left', patienceMs, async () => {
    return [...(await nodes()), ...(await live())].length === 0;
  });
  await davit.history.untilNothingIsLeft();
}

test('a job that is queued in a real Hudson gets an agent of its own program, and nothing is left', async () => {
  await hudson.enqueueFreestyle({ name: 'app', label: 'linux && docker', script: 'sleep 4' });

  const { result, builtOn } = await until('the build is over', patienceMs, async () => {
    const build = await hudson.lastBuildOf('app');
    return build?.result === null ? undefined : build;
  });
  await untilAllIsGone();

  expect(result).toBe('SUCCESS');
  expect(builtOn).toMatch(/^davit-[0-9a-f]{8}-jenkins-/);
});

test('jobs that wait together all run, each agent is ended after its own build, and nothing is left', async () => {
  const names = ['one', 'two', 'three'];
  for (const name of names) await hudson.enqueueFreestyle({ name, label: 'linux', script: 'sleep 6' });

  await until('all builds are over', patienceMs, async () => {
    const builds = await Promise.all(names.map((name) => hudson.lastBuildOf(name)));
    return builds.every((build) => typeof build?.result === 'string');
  });
  await untilAllIsGone();

  const builds = await Promise.all(names.map((name) => hudson.lastBuildOf(name)));
  expect(builds.map((build) => build?.result)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  expect(new Set(builds.map((build) => build?.builtOn)).size).toBe(3);
});

test("Hudson's own list of builds shows that each job ran once, on a runner of its own", async () => {
  const authorization = `Basic ${Buffer.from(`${hudson.user.name}:${hudson.user.apiToken}`).toString('base64')}`;
  const answer = await fetch(`${hudson.url}/api/json?tree=${jenkinsHistoryTree}`, { headers: { authorization } });

  const verdict = verifyJobs(readJenkinsHistory(await answer.text(), 'builds.json'));

  expect(verdict).toMatchObject({ jobs: 4, ran: 4, runners: 4, findings: [] });
});
