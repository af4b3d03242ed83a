import type { LaunchRecord } from '../../../core/launch/launch-record.ts';
import { endingOf, planOf, recordOf } from '../../contract/launch-fixtures.ts';
import { seenJob } from '../../support/seen-job.ts';
import { createMemoryDavit, type MemoryDavit } from './memory-davit.ts';
import { placed, reportAway } from './records.ts';

const secondMs = 1000;
const minuteMs = 60_000;
const jobs = [
  ['unit (shard 3)', 'acme/shop'],
  ['lint', 'acme/site'],
  ['integration tests', 'acme/pay'],
  ['bazel full', 'acme/monorepo'],
  ['deploy preview', 'acme/site'],
] as const;

/** A davit with invented launches, jobs and clusters of every kind that the console tells apart. */
export async function makeScene(launches: number): Promise<MemoryDavit> {
  const davit = createMemoryDavit(['east', 'west']);
  if (launches === 0) return davit;
  for (let at = 0; at < launches; at += 1) await davit.put(launchOf(at));
  await queueScene(davit);
  await reportAway(davit, 'west', 'connect ETIMEDOUT 10.20.0.1:6443');
  const now = Date.now();
  await davit.clusterStates.report({ cluster: 'east', kind: 'works', endedAtEpochMs: now, version: 'v1.34.4' });
  const why = 'X-Hub-Signature-256 is missing, or is not the HMAC-SHA256 of the body by the secret of davit.yaml.';
  await davit.refusedWebhooks.note({ ciSystem: 'gitea', count: 3, why, atEpochMs: now - 40 * secondMs });
  return davit;
}

/** Kinds of launches, in turn: most run or have run, some wait, and some have failed. */
function launchOf(at: number): LaunchRecord {
  const ageMs = (8 + at * 11) * secondMs;
  const makers = [starts, runs, ended, ended, failsToPull, ended, runs, unplaced, ended, crashes, ended, neverConnects];
  const make = makers[at % makers.length] ?? ended;
  return make(at, ageMs);
}

function base(at: number, ageMs: number, profile: string, changes: Partial<LaunchRecord>): LaunchRecord {
  const [name, repository] = jobs[at % jobs.length] ?? jobs[0];
  const launchId = `gitea-7-${100 + at}-1`;
  const requestedAtEpochMs = Date.now() - ageMs;
  const job = {
    name,
    repository,
    workflow: 'CI',
    runId: 9,
    attempt: 1,
    queuedAtEpochMs: requestedAtEpochMs - 900,
  };
  const places = { requestedAtEpochMs, startedAtEpochMs: requestedAtEpochMs };
  const plan = planOf(launchId, { ...places, profile, cluster: at % 3 === 0 ? 'west' : 'east', job });
  return recordOf(launchId, { plan, requestedAtEpochMs, expiresAtEpochSeconds: 4_000_000_000, ...changes });
}

const quick = { ...placed, scheduledMs: 1000, hostMs: 1200, tokenMs: 1250 };

function starts(at: number, ageMs: number): LaunchRecord {
  return base(at, Math.min(ageMs, 4 * secondMs), 'linux', { timeline: quick });
}

function runs(at: number, ageMs: number): LaunchRecord {
  const connectedAtEpochMs = Date.now() - ageMs + 6 * secondMs;
  const record = base(at, ageMs, 'linux', { status: 'connected', timeline: quick, connectedAtEpochMs });
  return { ...record, runs: runOf(record, connectedAtEpochMs) };
}

function ended(at: number, ageMs: number): LaunchRecord {
  const beganEpochMs = Date.now() - ageMs;
  const endEpochMs = Math.min(Date.now() - 2 * secondMs, beganEpochMs + 6 * secondMs + ((at * 7) % 60) * secondMs);
  const record = runs(at, ageMs);
  return {
    ...record,
    status: 'terminated',
    ran: { conclusion: 'success', atEpochMs: endEpochMs },
    ending: endingOf({ outcome: 'terminated', code: 'Terminated', message: 'its job is over', atEpochMs: endEpochMs }),
    cleanedAtEpochMs: endEpochMs + secondMs,
  };
}

function runOf({ plan, launchId }: LaunchRecord, sinceEpochMs: number) {
  return { jobKey: launchId, sinceEpochMs, url: 'https://gitea.example/jobs/9', ...(plan?.job && { job: plan.job }) };
}

function failsToPull(at: number, ageMs: number): LaunchRecord {
  const image = 'registry.acme.dev/java:21-missing';
  const said = `ImagePullBackOff: Back-off pulling image "${image}": ErrImagePull: ${image}: not found`;
  const message = `ImagePullFailed: ${said} (for 30 s; grace is 30 s) (launch gitea-7-${100 + at}-1, cluster east)`;
  const atEpochMs = Date.now() - ageMs + 31 * secondMs;
  if (atEpochMs > Date.now()) {
    const signal = {
      code: 'ImagePullFailed',
      container: 'agent',
      detail: said,
      sinceEpochMs: atEpochMs - 29 * secondMs,
    };
    return base(at, ageMs, 'java', { timeline: quick, signal });
  }
  return failed(base(at, ageMs, 'java', { timeline: quick }), { code: 'ImagePullFailed', message, atEpochMs }, [
    { type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": not found`, count: 3 },
    { type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${image}"`, count: 4 },
  ]);
}

function crashes(at: number, ageMs: number): LaunchRecord {
  const message = 'ContainerTerminated: container agent terminated with exit code 3: Error (launch x, cluster east)';
  const ending = { code: 'ContainerTerminated', message, atEpochMs: Date.now() - ageMs + 1600 };
  const record = failed(base(at, ageMs, 'linux', { timeline: quick }), ending, [
    { type: 'Normal', reason: 'Started', message: 'Started container agent', count: 1 },
  ]);
  const log = { container: 'agent', text: 'runner 2.330.0\ncannot start: no space left on device: /work\n' };
  const diagnostics = { atEpochMs: ending.atEpochMs, events: [], unread: [], ...record.diagnostics, log };
  return at % 24 === 21 ? held({ ...record, diagnostics }) : { ...record, diagnostics };
}

/** Its profile holds the Pods of launches that fail. */
function held({ cleanedAtEpochMs: _cleaned, ...record }: LaunchRecord): LaunchRecord {
  return { ...record, status: 'cleaning', hold: { untilEpochMs: Date.now() + 11 * minuteMs } };
}

type Events = NonNullable<LaunchRecord['diagnostics']>['events'];

function failed(
  record: LaunchRecord,
  ending: Pick<NonNullable<LaunchRecord['ending']>, 'code' | 'message' | 'atEpochMs'>,
  events: Events,
): LaunchRecord {
  return {
    ...record,
    status: 'failed',
    ending: endingOf({ outcome: 'failed', by: 'the state machine', ...ending }),
    cleanedAtEpochMs: ending.atEpochMs + 1200,
    diagnostics: { atEpochMs: ending.atEpochMs, events, unread: [] },
  };
}

function unplaced(at: number, ageMs: number): LaunchRecord {
  const sinceEpochMs = Date.now() - Math.min(ageMs, 12 * minuteMs);
  const words = '0/6 nodes are available: 6 Insufficient cpu. preemption: not helpful for scheduling';
  const detail = `Unschedulable: ${words}; an autoscaler acts: TriggeredScaleUp: pod triggered scale-up: [{builds 6->7}]`;
  const podState = { detail: `phase Pending; not PodScheduled: Unschedulable: ${words}`, atEpochMs: sinceEpochMs };
  const timeline = { serviceMs: 60, portMs: 90, podMs: 150 };
  const signal = { code: 'Unschedulable', detail, sinceEpochMs };
  return base(at, Math.min(ageMs, 12 * minuteMs), 'large', { timeline, signal, podState });
}

function neverConnects(at: number, ageMs: number): LaunchRecord {
  const podState = { detail: 'phase Running; container agent running', atEpochMs: Date.now() - 2 * minuteMs };
  return base(at, Math.min(ageMs, 8 * minuteMs), 'linux', { timeline: quick, podState });
}

async function queueScene(davit: MemoryDavit): Promise<void> {
  const now = Date.now();
  const desktop = { labels: ['self-hosted', 'windows'], repository: { owner: 'acme', name: 'desktop' } };
  for (let at = 0; at < 5; at += 1) {
    const queuedAtEpochMs = now - (at + 3) * 20 * minuteMs;
    await davit.jobs.note(seenJob({ jobId: 900 + at, name: `installer ${at}`, ...desktop, queuedAtEpochMs }), now);
  }
  for (let at = 0; at < 3; at += 1) {
    const queuedAtEpochMs = now - (at + 1) * 30 * secondMs;
    const launchId = `gitea-7-${100 + at * 12 + 7}-1`;
    const job = await davit.jobs.note(seenJob({ jobId: 800 + at, name: 'bazel full', queuedAtEpochMs }), now);
    await davit.jobs.claimLaunch(job, 0, launchId, now);
  }
}
