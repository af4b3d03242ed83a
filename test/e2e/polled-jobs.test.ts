import type { Config } from '../../core/config/config.ts';
import { runnerImages } from '../../local/agent/image.ts';
import { until } from '../prove/cluster/until.ts';
import { liveLaunches } from '../support/live-launches.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { withCiServers } from '../support/with-ci-servers.ts';
import { type CiKind, type CiServer, environment, kinds, searchPath } from './ci-servers.ts';
import { secretsFound } from './secrets-found.ts';

// A job for each way in which davit hears of one. What may happen to jobs and agents on the way is in
// test/unit/logic/polling, on the same fakes and adapters.

const patienceMs = 180_000;
/** By their names in davit.yaml: davit polls those of the first kind each second, and the others have to tell it. */
const servers = new Map<string, CiServer>();
const serverOf = (name: string): CiServer => servers.get(name) ?? failOf(name);
let davit: TestRuntime;

beforeAll(async () => {
  for (const { provider, start } of kinds) {
    servers.set(provider, await start()).set(toldName(provider), await start());
  }
  davit = await startTestRuntime({
    changeConfig: (config) => kinds.reduce(withServersOf, config),
    secrets: Object.fromEntries([...servers].map(([name, { token }]) => [`token-${name}`, token])),
    sandbox: { images: runnerImages(searchPath) },
  });
  for (const { provider } of kinds) serverOf(toldName(provider)).sendTo?.(await hookOf(provider));
});
afterAll(async () => {
  await davit?.[Symbol.asyncDispose]();
  await Promise.all([...servers.values()].map((server) => server.stop()));
});

function withServersOf(config: Config, { provider, labels }: CiKind): Config {
  const pauses = { [provider]: 1, [toldName(provider)]: 20 };
  const entries = Object.entries(pauses).map(([name, pollSeconds]) => [name, { ...serverOf(name).entry, pollSeconds }]);
  return withCiServers(config, { provider, servers: Object.fromEntries(entries), labels, environment });
}

const toldName = (provider: string) => `${provider}-2`;

async function hookOf(provider: string) {
  const name = toldName(provider);
  return { url: `${davit.runtime.url}/webhooks/${name}`, secret: await davit.runtime.webhookSecret(name) };
}

/** Sends a webhook of the server that davit polls seldom. @returns the answer's status */
async function tell({ provider, sign }: CiKind, otherSecret?: string): Promise<number> {
  const { url, secret } = await hookOf(provider);
  const body = '{"event":"job.scheduled"}';
  const answer = await fetch(url, { method: 'POST', headers: await sign(otherSecret ?? secret, body), body });
  return answer.status;
}

function failOf(name: string): never {
  throw new Error(`there is no server ${name}`);
}

test.each(kinds)(
  'jobs of $provider that a poll finds, and of which a signed webhook tells, get an agent each, and nothing is left',
  async (kind) => {
    const { provider } = kind;
    const names = [provider, toldName(provider)];
    const jobs = names.flatMap((name) => [serverOf(name).queue('echo built here'), serverOf(name).queue('echo too')]);

    const refused = await tell(kind, 'another secret');
    const accepted = await tell(kind);
    await until('the jobs are over', patienceMs, async () => jobs.every((job) => job.isOver()));
    await until('no launch is left', patienceMs, async () => {
      await tell(kind);
      return (await liveLaunches(davit)).length === 0;
    });
    await davit.history.untilNothingIsLeft();
    await until('no agent is left', patienceMs, async () => names.every((name) => serverOf(name).left().length === 0));

    expect(refused).toBe(401);
    // A GitLab's webhook names its job: this one names none, and the server sends those that do.
    expect(accepted).toBe(provider === 'gitlab' ? 200 : 202);
    expect(jobs.map((job) => job.log())).toEqual(['built here\n', 'too\n', 'built here\n', 'too\n']);
    expect(jobs.map((job) => job.agents())).toEqual([1, 1, 1, 1]);
  },
);

test.each(kinds.map(({ provider }) => provider))(
  "no secret of an agent for %s is in a Pod or in a file of davit's or of its agents', and not davit's token there",
  async (provider) => {
    const { secrets, token } = serverOf(provider);
    const own = secrets();

    expect(own).not.toEqual([]);
    expect(await secretsFound(davit, own, `${provider}/`)).toEqual([]);
    expect(JSON.stringify(davit.history.changes)).not.toContain(token);
  },
);
