import { randomUUID } from 'node:crypto';
import { createJoseIssuer, createJoseVerifier } from '../../../../adapters/jose/jose-credentials.ts';
import type { PublishedToken } from '../../../../core/launch/completed-token.ts';
import type { LaunchId } from '../../../../core/launch/names.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { answerConnect } from '../../../../functions/connect/connect.ts';
import { describeApi } from '../../../../functions/describe-api/describe-api.ts';
import { answerLaunches } from '../../../../functions/launches/launches.ts';
import { answerWebhook } from '../../../../functions/webhook/webhook.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqlitePollTurns } from '../../../../local/store/sqlite-ci-memory.ts';
import { sqliteTokens } from '../../../../local/store/sqlite-tokens.ts';
import { registrationsIn } from '../../../../logic/records/registrations-in.ts';
import type { FunctionName } from '../../../../runtime/function-settings.ts';
import { revalidatedAnswer } from '../../../../runtime/http/answer.ts';
import { type HttpLogic, httpHandler } from '../../../../runtime/http/http-handler.ts';
import { agentOf } from '../../../contract/launch-fixtures.ts';
import { FakeRegistrar } from '../../../support/fake-registrar.ts';
import { fixedSigning } from '../../../support/fixed-secrets.ts';
import { makeLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { RecordingLogger } from '../../../support/send-http.ts';
import { secrets } from './secrets.ts';
import { WatchedLaunches } from './watched-launches.ts';

/** The launches that exist before each input: one waits, one can be connected to, one is over. */
export const knownLaunches = { waiting: 'github-1-1-1', ready: 'github-2-2-1', over: 'github-3-3-1' } as const;

/** The existing profiles. The second one matches no job of GitHub's examples. */
export const profiles = [makeProfile(), makeProfile({ name: 'other', labels: ['other'], expose: 'none' })];

const description = describeApi();

const jose = { keys: fixedSigning(secrets.credentialKey), nowEpochMs: () => testNowEpochMs };

/** Makes the credential of an existing launch's agent, as CreatePod does. */
export function credentialOf(launchId: LaunchId): Promise<string> {
  return createJoseIssuer(jose).issue(agentOf(launchId), testNowEpochMs / 1000 + 600);
}

/** The davit behind the HTTP doors: the functions' own logic and HTTP handler, over ports in memory. */
export type FuzzedDavit = Awaited<ReturnType<typeof makeFuzzedDavit>>;

/** Makes a davit with the existing launches. */
export async function makeFuzzedDavit() {
  const launches = new WatchedLaunches();
  const deps = makeLaunchDeps({ profiles });
  const tokens = sqliteTokens(openStore(':memory:'));
  const logger = new RecordingLogger();
  // The sender counts a million inputs; the metrics would only grow.
  const metrics = { put: () => undefined };
  for (const launchId of Object.values(knownLaunches)) {
    const plan = planLaunch(makeProfile(), { launchId }, testNowEpochMs);
    await launches.request(newRecord(plan, { env: { TOKEN: secrets.callersEnv } }));
    await deps.executions.start(plan);
  }
  await tokens.publish(tokenOf(knownLaunches.ready));
  await launches.end(knownLaunches.over, ending);
  launches.writes = 0;

  const logic = {
    webhook: (request) =>
      answerWebhook(
        {
          ...deps,
          launches,
          pollTurns: sqlitePollTurns(openStore(':memory:')),
          ciSystems: [{ name: 'github', provider: 'github', url: 'https://github.com', webhookSecret: 'id' }],
          secretsOf: () => fixedSigning(secrets.webhook),
        },
        request,
      ),
    connect: (request) =>
      answerConnect(
        {
          launches,
          registrations: registrationsIn(launches.records),
          registrar: new FakeRegistrar(),
          newNonce: randomUUID,
          sleep: async () => undefined,
          tokens,
          jobs: deps.jobs,
          credentials: { ...createJoseVerifier(jose), ...createJoseIssuer(jose) },
          nowEpochMs: deps.nowEpochMs,
        },
        request,
      ),
    launches: (request) => answerLaunches({ ...deps, launches }, request),
    'describe-api': async ({ headers }) => revalidatedAnswer(description, headers['if-none-match']),
  } satisfies Partial<Record<FunctionName, HttpLogic>>;

  return {
    launches,
    logger,
    handlers: {
      webhook: httpHandler(logic.webhook, { name: 'webhook', logger, metrics }),
      connect: httpHandler(logic.connect, { name: 'connect', logger, metrics }),
      launches: httpHandler(logic.launches, { name: 'launches', logger, metrics }),
      'describe-api': httpHandler(logic['describe-api'], { name: 'describe-api', logger, metrics }),
    },
    /** The number of changes, starts, stops and clean-ups since its creation. */
    changes: () =>
      launches.writes +
      deps.executions.started.size -
      Object.keys(knownLaunches).length +
      deps.executions.stopped.length +
      deps.invokeLater.events['clean-up'].length,
  };
}

const ending = {
  outcome: 'failed' as const,
  code: 'PodFailed',
  message: 'PodFailed: the Pod failed',
  by: 'PublishToken',
  atEpochMs: testNowEpochMs,
};

function tokenOf(launchId: LaunchId): PublishedToken {
  const { agentName, credentialId } = agentOf(launchId);
  const token = {
    agentName,
    launchId,
    host: '192.0.2.7',
    port: 30_123,
    tls: false,
    publishedAt: '2026-06-01T10:00:00.000Z',
    expiresAt: '2026-06-01T10:10:00.000Z',
  };
  return { token, credentialId };
}
