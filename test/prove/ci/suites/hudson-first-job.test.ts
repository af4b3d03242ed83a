import { join } from 'node:path';
import { rootFolder } from '../../../../cdk/bundling.ts';
import { until } from '../../cluster/until.ts';
import { firstJobCommands } from '../first-job/first-job.ts';
import { startNewcomer } from '../first-job/newcomer.ts';
import { buildHudson } from '../hudson/build-hudson.ts';
import { type Hudson, type HudsonBuild, startHudson } from '../hudson/start-hudson.ts';

const jobMs = 120_000;
const agent = join(rootFolder, 'test/prove/ci/hudson/bin/jenkins-agent');
let hudson: Hudson;
beforeAll(async () => {
  hudson = await startHudson(await buildHudson((text) => process.stderr.write(`${text}\n`)));
});
afterAll(() => hudson[Symbol.asyncDispose]());

/** Waits until the first build of a job is over. @throws Error after two minutes */
async function untilBuilt(job: string): Promise<HudsonBuild> {
  return until('the build is over', jobMs, async () => {
    const build = await hudson.lastBuildOf(job);
    return build?.result === null ? undefined : build;
  });
}

test('the commands of docs/jenkins.md lead from an empty folder to a green job, in the sandbox', async () => {
  const { url, user, slaveJar } = hudson;
  const commands = firstJobCommands('jenkins.md', '--sandbox');
  await using newcomer = await startNewcomer({
    env: {
      JENKINS_URL: url,
      JENKINS_TOKEN: user.apiToken,
      JENKINS_USER_ID: user.name,
      JENKINS_API_TOKEN: user.apiToken,
    },
    more: { local: ['--listen', '127.0.0.1:0'] },
    programs: { 'jenkins-agent': `env TEST_SLAVE_JAR=${slaveJar} ${agent}` },
  });

  for (const command of commands.slice(0, -1)) await newcomer.type(command);
  const { result, builtOn } = await untilBuilt('first');
  const listed = await newcomer.type(commands.at(-1) ?? '');

  expect(commands.length).toBeLessThanOrEqual(10);
  expect(result).toBe('SUCCESS');
  expect(builtOn).toMatch(/^davit-[0-9a-f]{8}-jenkins-/);
  expect(listed).toMatch(/^jenkins-\S+ +(connected|cleaning|terminated) +linux/m);
});
