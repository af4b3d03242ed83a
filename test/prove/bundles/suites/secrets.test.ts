import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { sign } from '@octokit/webhooks-methods';
import * as z from 'zod';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { credentialInPod } from '../../../support/agent-credentials.ts';
import type { HistoryEvent } from '../../../support/aws/stepfunctions/history-event.ts';
import { untilExecutionEnds } from '../../../support/execution-events.ts';
import { localDynamoDb } from '../../../support/local-dynamo-db.ts';
import { withProfiles } from '../../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { startXrayDaemon, type XrayDaemon } from '../../../support/start-xray-daemon.ts';

/** A value that the caller passes to its agents, and that davit must not show. */
const callersSecret = 'the-own-secret-of-the-caller-7f3a';
const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';
/** An agent that prints its whole environment, and fails. */
const telling = 'env; env >&2; echo "Authorization: Bearer $DAVIT_CREDENTIAL $SECRET"; exit 3';

let daemon: XrayDaemon;
let davit: AwsTestRuntime;
const events: HistoryEvent[] = [];
const answers: unknown[] = [];
/** The launches: one that succeeds and is ended, one whose agent fails, one that its cluster refuses. */
const launchIds: string[] = [];
const secrets = new Map<string, string>();

beforeAll(async () => {
  daemon = await startXrayDaemon();
  davit = await startAwsTestRuntime({
    aws: { _X_AMZN_TRACE_ID: traceHeader, AWS_XRAY_DAEMON_ADDRESS: daemon.address },
    changeConfig: (config) =>
      withProfiles(config, { telling: { agent: { command: ['sh', '-c', telling] } }, refused: {} }),
  });
  const { cluster, launches, runtime } = davit;
  runtime.stepFunctions.onEvent((event) => events.push(event));
  secrets.set("the caller's environment", callersSecret);
  secrets.set('the key of the credentials', runtime.secrets.get(runtime.services.credentialKeySecret) ?? '');
  secrets.set('the webhook secret', await runtime.webhookSecret('github'));
  secrets.set("the kubeconfig's token", tokenOfKubeconfig(cluster.kubeconfig));
  secrets.set("the kubeconfig's authority", authorityOfKubeconfig(cluster.kubeconfig));
  secrets.set('the signature of a webhook', await deliverUnread(davit, await runtime.webhookSecret('github')));
  secrets.set('another secret', await deliverUnread(davit, 'the secret of somebody else'));

  const ask = (profile: string) => launches.request({ profile, jobId: profile, env: { SECRET: callersSecret } });
  const working = await ask('linux');
  launchIds.push(working, await ask('telling'));
  for (const launchId of launchIds) {
    await untilExecutionEnds(runtime, launchId);
    keepCredential(launchId);
  }
  launchIds.push(await refusedLaunch(davit, ask));
  await connectAsAnother(davit, z.string().parse(credentialInPod(davit, agentNameOf(working))));
  answers.push((await launches.get('/launches')).body);
  for (const launchId of launchIds) {
    answers.push(await launches.show(launchId), await launches.end(launchId));
    answers.push(await launches.until(launchId, 'terminated', 'failed'));
  }
  await runtime.eventsPublished();
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});

/** Records the credential in an agent's Pod. */
function keepCredential(launchId: string): void {
  const credential = z
    .string()
    .min(100)
    .parse(credentialInPod(davit, agentNameOf(launchId)));
  secrets.set(`the credential of ${launchId}`, credential);
}

describe('no secret is in', () => {
  test("the executions' histories and data", () => {
    const executions = launchIds.map((launchId) => davit.runtime.stepFunctions.execution(launchId));

    expect(executions.map((execution) => execution?.status)).toEqual(['SUCCEEDED', 'FAILED', 'FAILED']);
    expect(foundIn(JSON.stringify({ events, executions }))).toEqual([]);
  });

  test('the journals of executions and of asynchronous events', async () => {
    const journals = await Promise.all(
      ['executions.jsonl', 'events.jsonl'].map((name) => readFile(join(davit.stateDirectory, name), 'utf8')),
    );

    expect(foundIn(journals.join('\n'))).toEqual([]);
  });

  test("the functions' logs", async () => {
    const directory = join(davit.stateDirectory, 'logs');
    const names = await readdir(directory);
    const logs = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));

    expect(names).toEqual(
      expect.arrayContaining(['create-pod.log', 'publish-token.log', 'connect.log', 'publish-events.log']),
    );
    expect(foundIn(logs.join('\n'))).toEqual([]);
    expect(logs.join('\n')).toContain('"_aws":{"Timestamp":');
  });

  test('the events on the bus, whatever the outcome of the launch', async () => {
    await davit.runtime.eventsPublished();
    const sent = await readFile(join(davit.stateDirectory, 'events-sent.jsonl'), 'utf8');

    expect(foundIn(sent)).toEqual([]);
    for (const type of ['LaunchRequested', 'AgentConnected', 'LaunchFailed', 'LaunchTerminated', 'LaunchCleaned']) {
      expect(sent).toContain(`"detail-type":"${type}"`);
    }
  });

  test("the records, except the caller's own environment for its Pods", async () => {
    using client = localDynamoDb(davit.runtime);
    const { launchesTable, tokensTable } = davit.runtime.services;
    const [records, tokens] = await Promise.all(
      [launchesTable, tokensTable].map((TableName) => client.send(new ScanCommand({ TableName }))),
    );

    expect(records?.Items).toHaveLength(launchIds.length);
    const given = { env: { M: { SECRET: { S: callersSecret } } } };
    expect(records?.Items).toEqual(launchIds.map(() => expect.objectContaining(given)));
    const rest = records?.Items?.map(({ env: _env, ...record }) => record);
    expect(foundIn(JSON.stringify({ rest, tokens: tokens?.Items }))).toEqual([]);
  });

  test('the traces', async () => {
    const [segment = ''] = await daemon.received();

    expect(segment).toContain(launchIds[0]);
    expect(secretsIn(segment)).toEqual([]);
  });

  test("the answers of the launches API, which name the caller's variables", () => {
    expect(JSON.stringify(answers)).toContain('"envNames":["SECRET"]');
    expect(JSON.stringify(answers)).toContain('Authorization: Bearer [masked] [masked]');
    expect(foundIn(JSON.stringify(answers))).toEqual([]);
  });
});

/** Lists the secrets in a text. @throws Error when the text does not mention every launch, and so proves nothing */
function foundIn(text: string): string[] {
  for (const launchId of launchIds) {
    if (!text.includes(launchId)) throw new Error(`${launchId} is not in the searched text`);
  }
  return secretsIn(text);
}

/** Lists the secrets in a text, which need not mention a launch. */
function secretsIn(text: string): string[] {
  const known = [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => name);
  return /eyJ[\w-]+\.[\w-]+\.[\w-]+/.test(text) ? [...known, 'a JWT'] : known;
}

/** Requests a launch whose cluster answers 401. */
async function refusedLaunch(
  { cluster, runtime }: AwsTestRuntime,
  ask: (profile: string) => Promise<string>,
): Promise<string> {
  const answer = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' };
  cluster.sandbox.faults.add({ match: { verb: 'create' }, effect: { kind: 'answer', answer } });
  const launchId = await ask('refused');
  await untilExecutionEnds(runtime, launchId);
  cluster.sandbox.faults.clear();
  return launchId;
}

/** Delivers a ping, which davit may log. @returns its signature */
async function deliverUnread({ runtime }: AwsTestRuntime, secret: string): Promise<string> {
  const body = JSON.stringify({ zen: 'Design for failure.' });
  const signature = await sign(secret, body);
  const headers = { 'x-github-event': 'ping', 'x-github-delivery': 'a-delivery', 'x-hub-signature-256': signature };
  const { status } = await fetch(`${runtime.url}/webhooks/github`, { method: 'POST', headers, body });
  if (status !== 200 && status !== 401) throw new Error(`a ping was answered ${status}`);
  return signature.replace('sha256=', '');
}

/** Uses a credential for another agent, which davit refuses and may log. */
async function connectAsAnother({ runtime }: AwsTestRuntime, credential: string): Promise<void> {
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

function authorityOfKubeconfig(text: string): string {
  return z
    .string()
    .min(100)
    .parse(/certificate-authority-data: *"?([\w+/=]+)/.exec(text)?.[1]);
}
