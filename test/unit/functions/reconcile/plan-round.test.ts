import { type PoolLook, poolKeyOf } from '../../../../core/agent/pool.ts';
import type { JobRecord } from '../../../../core/job/job-record.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { planRound } from '../../../../functions/reconcile/plan-round.ts';
import { reasonOf, subjectOf } from '../../../../functions/reconcile/planned-repair.ts';
import type { RoundView } from '../../../../functions/reconcile/round-view.ts';
import { endingOf, joinedPlanOf } from '../../../contract/launch-fixtures.ts';
import { idleLaunch, jobRecord, launchesView, roundAtEpochMs, roundView } from '../../../support/round-view.ts';
import { seenJob } from '../../../support/seen-job.ts';

const { join = { ciSystem: '', scope: { organization: '' }, labels: [], idleSeconds: 0 } } = joinedPlanOf('any');
const key = poolKeyOf(join);
const before = (missing: number, ageMs = 60_000): ReadonlyMap<string, PoolLook> =>
  new Map([[key, { missing, missingWithWarm: missing, atEpochMs: roundAtEpochMs - ageMs }]]);
const ago = (seconds: number) => roundAtEpochMs - seconds * 1000;
const jobsOf = (given: Partial<RoundView['jobs']>): RoundView['jobs'] => ({ ...roundView().jobs, ...given });
const runs = { jobKey: 'gitea/7/8/1', sinceEpochMs: ago(300) };

const queued = jobRecord();
const counted = { ...queued, launches: 1, lastLaunch: { launchId: 'gitea-7-8-1', atEpochMs: 0 } };
const older = jobRecord({ jobId: 10, queuedAtEpochMs: ago(630) });
const idle = idleLaunch();
const failed = idleLaunch({ status: 'failed', ending: endingOf({ atEpochMs: ago(1) }) });
const busy = idleLaunch({ runs });
const longIdle = idleLaunch({ connectedAtEpochMs: ago(300) });
const longBusy = idleLaunch({ runs, connectedAtEpochMs: ago(300) });
const another = idleLaunch({ launchId: 'gitea-7-11-1' });
const launching = idleLaunch({ launchId: 'gitea-7-12-1', status: 'launching', requestedAtEpochMs: ago(630) });
const newest = idleLaunch({ launchId: 'gitea-7-13-1', requestedAtEpochMs: ago(60) });
const requested29s = idleLaunch({ launchId: 'gitea-7-9-1', status: 'launching', requestedAtEpochMs: ago(29) });
const retiring = (seconds: number) => idleLaunch({ retiring: { reason: 'not wanted', sinceEpochMs: ago(seconds) } });
const registering = (seconds: number) =>
  idleLaunch({ requestedAtEpochMs: ago(900), registration: { nonce: 'x', count: 1, begunAtEpochMs: ago(seconds) } });
const named = (name: string) => ({ runner: { id: 71, name }, scope: join.scope });
const twoRetired = ['retire gitea-7-11-1', 'retire gitea-7-8-1'];
const [runner71, strangers] = [named('davit-0a1b2c3d-gitea-7-8-1'), named('davit-ffffffff-gitea-7-8-1')];

/** A round that sees these queued jobs and launches, and whose look before saw so many agents too few. */
function sees(
  open: RoundView['jobs']['open'],
  launches: LaunchRecord[],
  looks = before(open.length - launches.length),
) {
  return { jobs: jobsOf({ open }), launches: launchesView(launches), looks };
}

const among = (...launches: LaunchRecord[]) => ({ launches: launchesView(launches) });
const unread = { launches: launchesView([], { unread: new Set(['gitea-7-8-1']) }) };
const withoutRunner = { launches: launchesView([busy], { withoutRunner: new Set([busy.launchId]) }) };
const over = { jobs: jobsOf({ over: new Set(['gitea/7/8/1']) }) };
const listed = (known?: JobRecord) => ({
  jobs: jobsOf({ news: [{ seen: seenJob(), before: known }], open: [queued] }),
});

test.each<[what: string, view: Partial<RoundView>, repairs: string[]]>([
  ['nothing', {}, []],
  ['a queued job without an agent, in one look', sees([queued], [], new Map()), []],
  ['a queued job without an agent, in two looks', sees([queued], []), ['launch gitea-7-8-1']],
  ['a queued job without an agent, in a look that is too old', sees([queued], [], before(1, 180_001)), []],
  ['a queued job without an agent, in two looks at the same moment', sees([queued], [], before(1, 19_999)), []],
  ['a queued job in a hidden place', { ...sees([queued], []), isLeftAlone: () => true }, []],
  ['a queued job with its idle agent', sees([queued], [idle], before(1)), []],
  ['two queued jobs without agents', sees([queued, older], []), ['launch gitea-7-10-1', 'launch gitea-7-8-1']],
  ['a queued job of whose launch nothing is known', { ...sees([counted], []), ...unread }, []],
  ['a queued job that was counted, and whose launch was never requested', sees([counted], []), ['launch gitea-7-8-1']],
  ['a queued job whose launch has just failed', sees([counted], [failed], before(1)), ['leave gitea/7/8/1']],
  ['a queued job that no profile takes', sees([jobRecord({ labels: ['windows'] })], []), ['refuse gitea/7/8/1']],
  ['a job that an event has shown as running', sees([jobRecord({ status: 'in_progress' })], []), []],
  ['a queued job that is bound to an agent', sees([queued], [busy], before(1)), []],
  ['a job that its list shows for the first time', listed(), ['note gitea/7/8/1']],
  ['a job of which its record says the same', listed(queued), []],
  ['an idle agent without a job, in two looks', sees([], [idle]), ['retire gitea-7-8-1']],
  ['an idle agent without a job, in a hidden place', { ...sees([], [idle]), isLeftAlone: () => true }, []],
  [
    'three agents too many: it retires connected ones first, and the newest of them',
    sees([queued], [launching, another, idle, newest]),
    ['retire gitea-7-13-1', 'retire gitea-7-11-1', 'retire gitea-7-8-1'],
  ],
  [
    'an agent and an older launch too many: it retires the agent first',
    sees([], [launching, idle]),
    ['retire gitea-7-8-1', 'retire gitea-7-12-1'],
  ],
  ['a launch of the last 30 s whose job no list shows', sees([], [requested29s]), []],
  ['such a launch, and agents too many', sees([], [requested29s, another, idle]), twoRetired],
  [
    'an agent too many beside a new launch whose job a list shows',
    sees([{ ...counted, lastLaunch: { launchId: 'gitea-7-9-1', atEpochMs: 0 } }], [requested29s, idle]),
    ['retire gitea-7-8-1'],
  ],
  [
    'a queued job with its idle agent, and a job of which nothing is known',
    { jobs: jobsOf({ open: [counted], unknown: [jobRecord({ jobId: 9 })] }), ...among(idle), looks: before(1) },
    [],
  ],
  [
    'an idle agent whose job may still be queued',
    { jobs: jobsOf({ unknown: [queued] }), ...among(idle), looks: before(-1) },
    [],
  ],
  ['an agent that has been idle for too long', among(longIdle), ['retire gitea-7-8-1']],
  ['an agent that has run a job for as long', among(longBusy), []],
  ['a retirement that is unfinished for 2 min', among(retiring(120)), ['retire gitea-7-8-1']],
  ['a retirement that is unfinished for less', among(retiring(119)), []],
  ['an agent whose job is over, and whose runner is gone', { ...over, ...withoutRunner }, ['retire gitea-7-8-1']],
  ['an agent whose job is over, and whose runner is there', { ...over, ...among(busy) }, []],
  ['an agent whose runner is gone, and of whose job nothing is known', withoutRunner, []],
  ['a runner whose launch nobody knows', { runners: [runner71] }, ['unregister']],
  ['a runner whose launch could not be read', { runners: [runner71], ...unread }, []],
  ["a stranger's runner", { runners: [strangers] }, []],
  [
    'a runner 2 min after its launch began another',
    { runners: [runner71], ...among(registering(120)) },
    ['unregister'],
  ],
  ['such a runner earlier', { runners: [runner71], ...among(registering(119)) }, []],
])('a round that sees %s plans %j', (_what, view, repairs) => {
  const planned = planRound(roundView(view)).repairs;

  const words = planned.map((repair) => {
    const subject = repair.kind === 'launch' ? repair.launchId : subjectOf(repair).replace(/^\S+ /, '');
    return repair.kind === 'unregister' ? repair.kind : `${repair.kind} ${subject}`;
  });
  expect(words).toEqual(repairs);
  expect(planned.every((repair) => reasonOf(repair).length > 0)).toBe(true);
});
