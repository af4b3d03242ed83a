/**
 * The server process of the connect bench: a bare HTTP server, or davit's connect function on one. Messages control it.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJoseIssuer, createJoseVerifier } from '../../../../adapters/jose/jose-credentials.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { answerConnect, tokenWait } from '../../../../functions/connect/connect.ts';
import { listen } from '../../../../local/loopback-server.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteJobs } from '../../../../local/store/sqlite-jobs.ts';
import { sqliteTokens } from '../../../../local/store/sqlite-tokens.ts';
import { registrationsIn } from '../../../../logic/records/registrations-in.ts';
import type { HttpAnswer } from '../../../../runtime/http/answer.ts';
import { Problem, problemAnswer } from '../../../../runtime/http/problem.ts';
import { FakeRegistrar } from '../../../support/fake-registrar.ts';
import { fixedSigning } from '../../../support/fixed-secrets.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { configOnCluster } from '../../on-cluster/config.ts';

const launchId = 'bench-1';
const agentName = `davit-${launchId}`;
const pendingBody = JSON.stringify({
  type: 'https://davit.dev/problems/token-pending',
  title: 'The token is not published yet',
  status: 503,
  detail: "The launch is under way; its agent's address is not published yet.",
  launchId,
});

type Answer = (request: IncomingMessage) => Promise<Pick<HttpAnswer, 'statusCode' | 'body'>>;

const isConnect = process.argv[2] === 'connect';
const answer: Answer = isConnect ? await connectFunction() : async () => ({ statusCode: 503, body: pendingBody });
const server = createServer((request, response) => void respond(request, response));
const { port } = await listen(server, 0, '127.0.0.1');
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000 });
});
process.on('disconnect', () => process.exit());
process.send?.({ url: `http://127.0.0.1:${port}/agents/${agentName}/connect`, credential: await issue() });

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { statusCode, body } = await answer(request);
  response.writeHead(statusCode, { 'content-type': 'application/problem+json', 'retry-after': '1' });
  response.end(body);
}

/** Runs connect over tables in memory: it checks the credential and reads both tables, as on AWS. */
async function connectFunction(): Promise<Answer> {
  const launches = new MemoryLaunches();
  const [profile] = configOnCluster().profiles;
  if (profile === undefined) throw new Error('the config has no profile');
  await launches.request(newRecord(planLaunch(profile, { launchId }, Date.now())));
  const credentials = { ...createJoseVerifier(jose()), ...createJoseIssuer(jose()) };
  const deps = {
    tokens: sqliteTokens(openStore(':memory:')),
    launches,
    registrations: registrationsIn(launches.records),
    jobs: sqliteJobs(openStore(':memory:')),
    registrar: new FakeRegistrar(),
    newNonce: randomUUID,
    sleep,
    credentials,
    nowEpochMs: Date.now,
  };
  const common = { method: 'POST', parameters: { agentName }, query: {}, body: Buffer.alloc(0) };
  return async ({ headers }) => {
    const request = {
      ...common,
      receivedAtEpochMs: Date.now(),
      headers: { authorization: headers.authorization ?? '' },
    };
    return answerConnect(deps, request).catch((error: unknown) => {
      if (error instanceof Problem) return problemAnswer(error);
      throw error;
    });
  };
}

function jose() {
  return { keys: fixedSigning('k'.repeat(43)), nowEpochMs: Date.now };
}

/** The record of an agent that connect answers at once. */
function issue(): Promise<string> {
  const issuer = createJoseIssuer({ ...jose(), nowEpochMs: () => Date.now() - tokenWait.ageMs });
  const expiresAtEpochSeconds = Math.floor(Date.now() / 1000) + 3600;
  return issuer.issue({ agentName, launchId, credentialId: randomUUID() }, expiresAtEpochSeconds);
}
