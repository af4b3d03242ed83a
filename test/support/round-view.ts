import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { RoundView } from '../../functions/reconcile/round-view.ts';
import { joinedPlanOf } from '../contract/launch-fixtures.ts';
import { makeProfile } from './make-profile.ts';
import { queuedAtEpochMs, seenJob } from './seen-job.ts';

/** When the round of a test decides: ten minutes after the tests' jobs were queued. */
export const roundAtEpochMs = queuedAtEpochMs + 600_000;

/** A queued job's record, without a launch; `given` replaces fields. */
export function jobRecord(given: Partial<JobRecord> = {}): JobRecord {
  return { ...seenJob(), launches: 0, expiresAtEpochSeconds: 2_000_000_000, ...given };
}

/** A connected launch whose agent runs nothing and has the runner 70; `given` replaces fields. */
export function idleLaunch(given: Partial<LaunchRecord> = {}): LaunchRecord {
  const { launchId = 'gitea-7-8-1' } = given;
  return {
    launchId,
    status: 'connected',
    plan: joinedPlanOf(launchId),
    requestedAtEpochMs: queuedAtEpochMs,
    connectedAtEpochMs: roundAtEpochMs - 120_000,
    runner: { id: 70, name: `davit-0a1b2c3d-${launchId}` },
    expiresAtEpochSeconds: 2_000_000_000,
    ...given,
  };
}

/** What a round sees that sees nothing; `given` replaces fields. */
export function roundView(given: Partial<RoundView> = {}): RoundView {
  return {
    system: CiSystemConfig.parse({
      name: 'gitea',
      provider: 'gitea',
      url: 'http://gitea.example:3000',
      webhookSecret: 'webhook-secret',
      tokenSecret: 'token-secret',
    }),
    profiles: [makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 300 })],
    agentLimits: [],
    installationId: '0a1b2c3d',
    nowEpochMs: roundAtEpochMs,
    listedAtEpochMs: roundAtEpochMs,
    isLeftAlone: () => false,
    jobs: { news: [], open: [], over: new Set(), unknown: [], hidden: [] },
    launches: { live: [], records: new Map(), unread: new Set(), withoutRunner: new Set() },
    runners: [],
    deliveries: { failing: [], attempts: [], most: 100 },
    looks: new Map(),
    waiting: [],
    warm: { pools: [], latest: new Map(), wanted: { waiting: [], full: new Set() } },
    lost: [],
    told: new Map(),
    ...given,
  };
}

/** The launches that a round sees: all of them were read. */
export function launchesView(
  records: readonly LaunchRecord[],
  given: Partial<RoundView['launches']> = {},
): RoundView['launches'] {
  const live = records.filter(({ status }) => status === 'launching' || status === 'connected');
  const byId = new Map(records.map((record) => [record.launchId, record]));
  return { live, records: byId, unread: new Set(), withoutRunner: new Set(), ...given };
}
