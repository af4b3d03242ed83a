import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../../../core/config/read-config.ts';
import { runnerImages } from '../../../../local/agent/image.ts';
import { jenkinsHistoryTree, readJenkinsHistory } from '../../../../verify/jobs/jenkins-history.ts';
import { verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';
import { createJenkinsClient } from '../../../support/jenkins/jenkins-client.ts';
import { withCiServers } from '../../../support/with-ci-servers.ts';
import { until } from '../../cluster/until.ts';
import { startHudson } from '../hudson/start-hudson.ts';
import { startKillableDavit } from '../queue/start-killable-davit.ts';

const programs = fileURLToPath(new URL('../hudson/bin', import.meta.url));
const patienceMs = 300_000;

test('while davit is killed four times and Hudson restarts, each job runs once, and nothing is left', async () => {
  await using started = new AsyncDisposableStack();
  const hudson = started.use(await startHudson());
  const searchPath = [programs, process.env['PATH']].join(delimiter);
  const config = withCiServers(await readConfig('davit.yaml'), {
    provider: 'jenkins',
    servers: { jenkins: { url: hudson.url, user: hudson.user.name } },
    labels: ['linux', 'docker'],
    environment: { PATH: searchPath, TEST_SLAVE_JAR: hudson.slaveJar },
  });
  const secrets = { 'token-jenkins': hudson.user.apiToken };
  const { davit, history } = started.use(await startKillableDavit(config, runnerImages(searchPath), secrets));
  const { user, url } = hudson;
  const client = createJenkinsClient({ url, userName: user.name, apiToken: user.apiToken });
  const jobs: string[] = [];

  /** Queues jobs that any of their agents may get. */
  async function enqueue(count: number, seconds: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const name = `job-${jobs.length}`;
      jobs.push(name);
      const label = jobs.length % 2 === 0 ? 'linux' : 'linux && docker';
      await hudson.enqueueFreestyle({ name, label, script: `sleep ${seconds}` });
    }
  }
  const nodes = async () =>
    (await client.listComputers()).filter(({ displayName }) => displayName.startsWith('davit-'));
  const isOver = async (job: string) => typeof (await hudson.lastBuildOf(job))?.result === 'string';
  const areOver = (names: readonly string[]) =>
    until(`${names.join(', ')} are over`, patienceMs, async () =>
      (await Promise.all(names.map(isOver))).every(Boolean),
    );

  await enqueue(4, 4);
  await until('a node is made', patienceMs, async () => (await nodes()).length > 0);
  await davit.restart();
  await until('a job runs', patienceMs, async () => (await nodes()).some(({ idle }) => !idle));
  const cancelled = await hudson.enqueueFreestyle({ name: 'cancelled', label: 'linux', script: 'true' });
  await client.cancelItem(cancelled);
  await enqueue(2, 2);
  await davit.restart();
  await hudson.enqueueFreestyle({ name: 'stopped', label: 'linux', script: 'sleep 300' });
  await until('the build that is to be stopped runs', patienceMs, async () => hudson.lastBuildOf('stopped'));
  await client.request('POST', '/job/stopped/1/stop');
  await areOver([...jobs, 'stopped']);
  // Agents that are still there may get these jobs, and run them when davit is back.
  const dead = davit.restart(20_000);
  await enqueue(3, 30);
  await client.request('POST', '/job/job-0/build');
  await dead;
  await areOver(jobs);
  await until('job-0 has run again', patienceMs, async () => {
    const build = await hudson.lastBuildOf('job-0');
    return build?.number === 2 && build.result;
  });
  await until('no node is left', patienceMs, async () => (await nodes()).length === 0);
  // The server restarts with a queue. davit is back before it. An agent from before a restart would stay for five minutes.
  const absent = davit.restart(5000);
  await enqueue(2, 1);
  await hudson.restart();
  await absent;
  await areOver(jobs);
  await until('no node is left', patienceMs, async () => (await nodes()).length === 0);
  await history.untilNothingIsLeft();

  const builds = await client.request('GET', `/api/json?tree=${jenkinsHistoryTree}`);
  const verdict = verifyJobs(readJenkinsHistory(builds.text, 'builds.json'));
  // While nobody sets its node offline, an agent may run a second job: docs/jenkins.md, "Two jobs on one agent".
  expect(verdict.findings.filter(({ rule }) => rule !== 'a runner runs one job')).toEqual([]);
  expect(verdict).toMatchObject({ ran: jobs.length + 1, cancelled: 1 });
  expect((await client.listQueue()).map(({ task }) => task.name)).toEqual([]);
});
