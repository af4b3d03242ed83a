import * as z from 'zod';
import { runCli } from '../../cli/run-cli.ts';
import type { Config } from '../../core/config/config.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import { eventually } from '../support/eventually.ts';
import { withProfiles } from '../support/profile-like.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';
import { askConnect } from './expect-ended.ts';
import { type DavitAnywhere, startAnywhere } from './start-anywhere.ts';

const namespace = 'davit-agents';

const Held = z.object({ hold: z.object({ until: z.iso.datetime() }) });

const Pod = z.object({ metadata: z.object({ uid: z.string(), deletionTimestamp: z.optional(z.string()) }) });

let davit: DavitAnywhere;
beforeAll(async () => {
  davit = await startAnywhere({
    changeConfig: withHoldingProfiles,
    sweepIntervalMs: 500,
    sandbox: { node: { behaviour: { imagePullBackOff: { baseMs: 200, maxMs: 200 } } } },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

function withHoldingProfiles(config: Config): Config {
  const unpullable = { agent: { image: 'davit.dev/none:1' }, graces: { imagePullSeconds: 1 } };
  const { profiles, ...rest } = withProfiles(config, { 'held-long': unpullable, 'held-briefly': unpullable });
  const holdSeconds: Record<string, number> = { 'held-long': 3600, 'held-briefly': 3 };
  const holding = profiles.map((profile) => {
    const { [profile.name]: holdFailedSeconds } = holdSeconds;
    return holdFailedSeconds === undefined ? profile : { ...profile, holdFailedSeconds };
  });
  return { ...rest, profiles: holding };
}

/** Launches, and waits until its failure is known and its Pod is held. */
async function launchHeld(profile: string): Promise<string> {
  const launchId = await davit.launches.request({ profile, jobId: profile });
  await eventually(async () => {
    expect(await davit.launches.show(launchId)).toMatchObject({
      status: 'cleaning',
      diagnostics: { events: expect.any(Array) },
      hold: { until: expect.any(String) },
    });
  });
  return launchId;
}

async function ask(...args: string[]): Promise<string> {
  const terminal = recordingTerminal({ DAVIT_URL: davit.runtime.url, DAVIT_TOKEN: davit.runtime.launchesToken });
  await runCli(args, terminal);
  return [...terminal.lines, ...terminal.notes].join('\n');
}

async function podOf(launchId: string): Promise<z.infer<typeof Pod>> {
  const { body } = await davit.api.send(`/api/v1/namespaces/${namespace}/pods/${agentNameOf(launchId)}`);
  return Pod.parse(body);
}

test('the Pod of a failed launch stays for a person, whom davit shows where to look, until the person ends it', async () => {
  const launchId = await launchHeld('held-long');
  const pod = await podOf(launchId);

  const shown = await ask('show', launchId);
  const listed = await ask('list', '--profile', 'held-long');
  const waited = await ask('wait', launchId, '--for', 'over');
  const status = await askConnect(davit, launchId);
  const before = await podOf(launchId);
  const ended = await ask('end', launchId);
  const over = await davit.launches.until(launchId, 'failed', 'terminated');

  expect(shown).toMatch(/it failed, .* ago\n +davit holds its Pod until \d\d:\d\d:\d\d UTC, for you to look at/);
  expect(shown).toContain(`kubectl --namespace ${namespace} describe pod davit-${launchId}`);
  expect(shown).toContain(`davit end ${launchId}  # removes it now`);
  expect(listed).toMatch(/ImagePullFailed: .*; davit holds its Pod until/);
  expect(waited).toMatch(/failed: ImagePullFailed/);
  expect(status).toBe(410);
  expect(before).toEqual(pod);
  expect(before.metadata).not.toHaveProperty('deletionTimestamp');
  expect(ended).toContain(`${launchId}  cleaning (ended before)`);
  expect(over).toMatchObject({ status: 'failed', ending: { code: 'ImagePullFailed' } });
  expect(await davit.history.left(launchId)).toEqual([]);
});

test('a Pod that nobody ends is removed by the first sweep after its time', async () => {
  const launchId = await launchHeld('held-briefly');
  const { hold } = Held.parse(await davit.launches.show(launchId));

  const { status, cleanedAt = '' } = await davit.launches.until(launchId, 'failed', 'terminated');

  expect(status).toBe('failed');
  expect(Date.parse(cleanedAt)).toBeGreaterThanOrEqual(Date.parse(hold.until));
  expect(await davit.history.left(launchId)).toEqual([]);
});
