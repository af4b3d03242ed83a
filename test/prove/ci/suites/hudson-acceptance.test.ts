import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { rootFolder } from '../../../../cdk/bundling.ts';
import { until } from '../../cluster/until.ts';
import { firstJobCommands } from '../first-job/first-job.ts';
import { type Newcomer, startNewcomer } from '../first-job/newcomer.ts';
import { type Hudson, startHudson } from '../hudson/start-hudson.ts';

const agent = join(rootFolder, 'test/prove/ci/hudson/bin/jenkins-agent');
const curl = '/usr/bin/curl';
const jobMs = 120_000;
let hudson: Hudson;
let newcomer: Newcomer;
beforeAll(async () => {
  hudson = await startHudson();
  const { url, user, slaveJar } = hudson;
  newcomer = await startNewcomer({
    env: {
      JENKINS_URL: url,
      JENKINS_TOKEN: user.apiToken,
      JENKINS_USER_ID: user.name,
      JENKINS_API_TOKEN: user.apiToken,
    },
    more: { local: ['--listen', '127.0.0.1:0'] },
    programs: {
      'jenkins-agent': `env TEST_SLAVE_JAR=${slaveJar} ${agent}`,
      // An agent of the sandbox has no image to pull, and would connect before anybody can delete its Pod.
      curl: `sh -c 'sleep 2; exec ${curl} "$@"' curl`,
    },
  });
});
afterAll(async () => {
  await newcomer?.[Symbol.asyncDispose]();
  await hudson?.[Symbol.asyncDispose]();
});

const acceptance = 'davit acceptance --ci-system jenkins --yes';

async function namesOf(path: string, key: 'jobs' | 'computer', field: 'name' | 'displayName'): Promise<string[]> {
  const authorization = `Basic ${Buffer.from(`${hudson.user.name}:${hudson.user.apiToken}`).toString('base64')}`;
  const answer = await fetch(`${hudson.url}${path}`, { headers: { authorization } });
  const list = z.looseObject({ [key]: z.array(z.looseObject({ [field]: z.string() })) }).parse(await answer.json());
  return (list[key] ?? []).map((each) => String(each[field]));
}

const jobsLeft = () => namesOf('/api/json?tree=jobs[name]', 'jobs', 'name');
const nodesLeft = async () =>
  (await namesOf('/computer/api/json?tree=computer[displayName]', 'computer', 'displayName')).filter((name) =>
    name.startsWith('davit-'),
  );

test('the commands of docs/jenkins.md lead from an empty folder to a green job, in the sandbox', async () => {
  const commands = firstJobCommands('jenkins.md', '--sandbox');

  for (const command of commands.slice(0, -1)) await newcomer.type(command);
  const { result, builtOn } = await until('the build is over', jobMs, async () => {
    const build = await hudson.lastBuildOf('first');
    return build?.result === null ? undefined : build;
  });
  const listed = await newcomer.type(commands.at(-1) ?? '');

  expect(commands.length).toBeLessThanOrEqual(10);
  expect(result).toBe('SUCCESS');
  expect(builtOn).toMatch(/^davit-[0-9a-f]{8}-jenkins-/);
  expect(listed).toMatch(/^jenkins-\S+ +(connected|cleaning|terminated) +linux/m);
});

test('a davit on a real Hudson holds in every scenario that has a meaning there, and leaves no job of its own and no node', async () => {
  const cluster = '--kubeconfig .davit/kubeconfig --namespace davit-agents';
  await newcomer.type(`${acceptance} ${cluster} --burst 6 --report report.md`);
  const report = await readFile(join(newcomer.folder, 'report.md'), 'utf8');

  const verdicts = [...report.matchAll(/^\| ([a-z-]+) \| (held|not-held|not-run) \|/gm)].map(([, name, verdict]) => [
    name,
    verdict,
  ]);
  expect(Object.fromEntries(verdicts)).toEqual({
    single: 'held',
    matrix: 'held',
    burst: 'held',
    'cancel-queued': 'held',
    'cancel-running': 'held',
    rerun: 'held',
    'pod-deleted': 'held',
    'lost-webhook': 'not-run',
    'nothing-left': 'held',
    trace: 'held',
  });
  expect(report).toMatch(/^\| matrix \| held \| 6 \| 6 \| 0 \| \d/m);
  expect(report).not.toMatch(/linux|127\.0\.0\.1|davit-acceptance-/);
  expect(await jobsLeft()).toEqual(['first']);
  expect(await nodesLeft()).toEqual([]);
});

test('Ctrl-C in the middle cancels the build, and leaves no job of its own', async () => {
  const script = [
    'set -m',
    `${acceptance} --scenario cancel-running 2>interrupted & run=$!`,
    'until grep -q queued interrupted; do sleep 0.1; done',
    'kill -INT $run',
    'wait $run || test $? = 130',
  ];

  await newcomer.type(script.join('\n'));

  expect(await readFile(join(newcomer.folder, 'interrupted'), 'utf8')).toMatch(/stopped by Ctrl-C/);
  expect(await jobsLeft()).toEqual(['first']);
});
