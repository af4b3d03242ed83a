import { delimiter } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../../core/config/read-config.ts';
import { runnerImages } from '../../../../local/agent/image.ts';
import { startFakeBuildkite } from '../../../support/buildkite/start-fake-buildkite.ts';
import { withCiServers } from '../../../support/with-ci-servers.ts';
import { buildBuildkiteAgent } from '../../cluster/programs/programs.ts';
import { until } from '../../cluster/until.ts';
import { startKillableDavit } from '../queue/start-killable-davit.ts';

const patienceMs = 240_000;

test('while davit is killed three times, each job runs once, and nothing is left', async () => {
  await using started = new AsyncDisposableStack();
  const program = await buildBuildkiteAgent();
  const searchPath = [program, process.env['PATH']].join(delimiter);
  const buildkite = await startFakeBuildkite();
  started.defer(() => buildkite.stop());
  const { url, queue } = buildkite;
  const config = withCiServers(await readConfig('davit.yaml'), {
    provider: 'buildkite',
    servers: { buildkite: { url, organization: 'acme', queue } },
    labels: ['queue=default', 'os=linux'],
    environment: { PATH: searchPath },
  });
  const secrets = { 'token-buildkite': buildkite.token };
  const { davit, history } = started.use(await startKillableDavit(config, runnerImages(searchPath), secrets));
  const { state } = buildkite;

  const jobs = Array.from({ length: 6 }, (_, index) => state.enqueue({ step: `a-${index}`, command: 'sleep 4' }));
  await until('davit has reserved some', patienceMs, async () => state.inState('scheduled').length < 6);
  await davit.restart();
  await until('some run', patienceMs, async () => state.inState('running').length > 0);
  jobs.push(...Array.from({ length: 4 }, (_, index) => state.enqueue({ step: `b-${index}`, command: 'sleep 2' })));
  await davit.restart();
  const cancelled = state.enqueue({ step: 'cancelled', command: 'sleep 60' });
  await until('it runs or is held', patienceMs, async () => cancelled.state !== 'scheduled');
  state.cancel(cancelled);
  await sleep(1000);
  await davit.restart();

  await until('all jobs are over', patienceMs, async () =>
    [...state.jobs.values()].every((job) => job.state === 'finished' || job.state === 'canceled'),
  );
  await history.untilNothingIsLeft();
  await until('no agent is connected', patienceMs, async () =>
    [...state.agents.values()].every(({ isConnected }) => !isConnected),
  );
  expect(jobs.map(({ exitStatus, acquiredBy }) => [exitStatus, acquiredBy.length])).toEqual(jobs.map(() => ['0', 1]));
  expect(cancelled.acquiredBy.length).toBeLessThanOrEqual(1);
  expect(state.inState('scheduled', 'reserved')).toEqual([]);
});
