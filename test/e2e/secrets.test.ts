import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as z from 'zod';
import { agentNameOf } from '../../functions/domain/names.ts';
import type { HistoryEvent } from '../../local/stepfunctions/history-event.ts';
import { readSecret } from '../support/agent-credentials.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

jest.setTimeout(120_000);

/** A value that the caller gives its agents, and that is nobody else's business. */
const callersSecret = 'the-own-secret-of-the-caller-7f3a';

let davit: TestRuntime;
const events: HistoryEvent[] = [];
const answers: unknown[] = [];
/** The launches: one that works and is ended, one that fails. */
const launchIds: string[] = [];
const secrets = new Map<string, string>();

beforeAll(async () => {
  davit = await startTestRuntime({
    changeConfig: (config) => withProfiles(config, { crashing: { agent: { command: ['sh', '-c', 'exit 3'] } } }),
  });
  const { cluster, launches, runtime } = davit;
  runtime.onExecutionEvent((event) => events.push(event));
  secrets.set('the caller’s environment', callersSecret);
  secrets.set('the key of the credentials', await readSecret(runtime, runtime.services.credentialKeySecret));
  secrets.set('the webhook secret', await runtime.webhookSecret('github'));
  secrets.set('the kubeconfig’s token', tokenOfKubeconfig(cluster.kubeconfig));

  const ask = (profile: string) => launches.request({ profile, jobId: profile, env: { SECRET: callersSecret } });
  const working = await ask('linux');
  launchIds.push(working, await ask('crashing'));
  for (const launchId of launchIds) await untilExecutionEnds(runtime, launchId);
  const credential = credentialIn(davit, working);
  secrets.set('the agent’s credential', credential);
  await connectAsAnother(davit, credential);
  answers.push(await (await fetch(`${runtime.url}/launches`)).json());
  for (const launchId of launchIds) {
    answers.push(await launches.show(launchId), await launches.end(launchId));
    answers.push(await launches.until(launchId, 'terminated', 'failed'));
  }
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

describe('no secret is in', () => {
  test('the executions’ histories and data', () => {
    const executions = launchIds.map((launchId) => davit.runtime.stepFunctions.execution(launchId));

    expect(executions.map((execution) => execution?.status)).toEqual(['SUCCEEDED', 'FAILED']);
    expect(foundIn(JSON.stringify({ events, executions }))).toEqual([]);
  });

  test('the journals of executions and of asynchronous events', async () => {
    const journals = await Promise.all(
      ['executions.jsonl', 'events.jsonl'].map((name) => readFile(join(davit.stateDirectory, name), 'utf8')),
    );

    expect(foundIn(journals.join('\n'))).toEqual([]);
  });

  test('the functions’ logs', async () => {
    const directory = join(davit.stateDirectory, 'logs');
    const names = await readdir(directory);
    const logs = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));

    expect(names).toEqual(expect.arrayContaining(['create-pod.log', 'await-agent.log', 'connect.log', 'announce.log']));
    expect(foundIn(logs.join('\n'))).toEqual([]);
    expect(logs.join('\n')).toContain('"_aws":{"Timestamp":');
  });

  test('the events on the bus, whatever came of the launch', async () => {
    await davit.runtime.announced();
    const sent = await readFile(join(davit.stateDirectory, 'events-sent.jsonl'), 'utf8');

    expect(foundIn(sent)).toEqual([]);
    for (const type of ['LaunchRequested', 'AgentConnected', 'LaunchFailed', 'LaunchTerminated', 'LaunchCleaned']) {
      expect(sent).toContain(`"detail-type":"${type}"`);
    }
  });

  test('what the launches API shows, which names the caller’s variables', () => {
    expect(JSON.stringify(answers)).toContain('"envNames":["SECRET"]');
    expect(foundIn(JSON.stringify(answers))).toEqual([]);
  });
});

/**
 * Says which secrets are in a text.
 *
 * @throws Error when the text says nothing of the launches, and so proves nothing
 */
function foundIn(text: string): string[] {
  for (const launchId of launchIds) {
    if (!text.includes(launchId)) throw new Error(`${launchId} is not in what is searched`);
  }
  const known = [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => name);
  return /eyJ[\w-]+\.[\w-]+\.[\w-]+/.test(text) ? [...known, 'a JWT'] : known;
}

/** The credential that a Pod was made with. */
function credentialIn({ cluster }: TestRuntime, launchId: string): string {
  const pod = cluster.sandbox.store.get('pods', 'davit-agents', agentNameOf(launchId));
  const env = z.array(z.object({ name: z.string(), value: z.string().optional() }));
  const [container] = z.object({ containers: z.tuple([z.object({ env })]) }).parse(pod?.spec).containers;
  return z
    .string()
    .min(100)
    .parse(container.env.find(({ name }) => name === 'DAVIT_CREDENTIAL')?.value);
}

/** Uses a credential for an agent that it is not for, which is refused, and may be logged. */
async function connectAsAnother({ runtime }: TestRuntime, credential: string): Promise<void> {
  const headers = { authorization: `Bearer ${credential}` };
  const { status } = await fetch(`${runtime.url}/agents/davit-another/connect`, { method: 'POST', headers });
  if (status !== 401) throw new Error(`a credential of another agent was answered ${status}`);
}

function tokenOfKubeconfig(text: string): string {
  return z
    .string()
    .min(16)
    .parse(/token: *"?([\w-]+)/.exec(text)?.[1]);
}
