import { type PoolLook, poolKeyOf } from '../../../../core/agent/pool.ts';
import { planRound } from '../../../../functions/reconcile/plan-round.ts';
import { reasonOf, subjectOf } from '../../../../functions/reconcile/planned-repair.ts';
import type { RoundView } from '../../../../functions/reconcile/round-view.ts';
import { joinedPlanOf } from '../../../contract/launch-fixtures.ts';
import { idleLaunch, jobRecord, launchesView, roundAtEpochMs, roundView } from '../../../support/round-view.ts';
import { seenJob } from '../../../support/seen-job.ts';

const { join = { ciSystem: '', scope: { organization: '' }, labels: [], idleSeconds: 0 } } = joinedPlanOf('any');
const key = poolKeyOf(join);
const before = (missing: number, ageMs = 60_000): ReadonlyMap<string, PoolLook> =>
  new Map([[key, { missing, missingWithWarm: missing, atEpochMs: roundAtEpochMs - ageMs }]]);
const jobsOf = (given: Partial<RoundView['jobs']>): RoundView['jobs'] => ({ ...roundView().jobs, ...given });
const queued = jobRecord();
const failed = idleLaunch({
  status: 'failed',
  ending: {
    outcome: 'failed',
    code: 'ImagePullFailed',
    message: 'no image',
    by: 'x',
    atEpochMs: roundAtEpochMs - 1000,
  },
});
const busy = idleLaunch({
  runs: {
    jobKey: 'gitea/7/8/1',
    job: { name: 'build', repository: 'acme/app', attempt: 1 },
    sinceEpochMs: roundAtEpochMs - 300_000,
  },
});
const named = (id: number, name = 'davit-0a1b2c3d-gitea-7-8-1') => ({ runner: { id, name }, scope: join.scope });

const cases: { what: string; view: Partial<RoundView>; repairs: string[] }[] = [
  { what: 'nothing', view: {}, repairs: [] },
  {
    what: 'a queued job without an agent, in one look',
    view: { jobs: jobsOf({ open: [queued] }) },
    repairs: [],
  },
  {
    what: 'a queued job without an agent, in two looks',
    view: { jobs: jobsOf({ open: [queued] }), looks: before(1) },
    repairs: ['launch gitea-7-8-1'],
  },
  {
    what: 'a queued job without an agent, in a look that is too old',
    view: { jobs: jobsOf({ open: [queued] }), looks: before(1, 180_001) },
    repairs: [],
  },
  {
    what: 'a queued job in a hidden place',
    view: { jobs: jobsOf({ open: [queued] }), looks: before(1), isLeftAlone: () => true },
    repairs: [],
  },
  {
    what: 'a queued job with its idle agent',
    view: { jobs: jobsOf({ open: [queued] }), launches: launchesView([idleLaunch()]), looks: before(1) },
    repairs: [],
  },
  {
    what: 'a queued job of whose launch nothing is known',
    view: {
      jobs: jobsOf({ open: [{ ...queued, launches: 1, lastLaunch: { launchId: 'gitea-7-8-1', atEpochMs: 0 } }] }),
      launches: launchesView([], { unread: new Set(['gitea-7-8-1']) }),
      looks: before(1),
    },
    repairs: [],
  },
  {
    what: 'a queued job that was counted, and whose launch was never requested',
    view: {
      jobs: jobsOf({ open: [{ ...queued, launches: 1, lastLaunch: { launchId: 'gitea-7-8-1', atEpochMs: 0 } }] }),
      looks: before(1),
    },
    repairs: ['launch gitea-7-8-1'],
  },
  {
    what: 'a queued job whose launch has just failed',
    view: {
      jobs: jobsOf({ open: [{ ...queued, launches: 1, lastLaunch: { launchId: 'gitea-7-8-1', atEpochMs: 0 } }] }),
      launches: launchesView([failed]),
      looks: before(1),
    },
    repairs: ['leave gitea/7/8/1'],
  },
  {
    what: 'a queued job that no profile takes',
    view: { jobs: jobsOf({ open: [jobRecord({ labels: ['windows'] })] }) },
    repairs: ['refuse gitea/7/8/1'],
  },
  {
    what: 'a job that its list shows for the first time',
    view: { jobs: jobsOf({ news: [{ seen: seenJob(), before: undefined }], open: [queued] }) },
    repairs: ['note gitea/7/8/1'],
  },
  {
    what: 'a job of which its record says the same',
    view: { jobs: jobsOf({ news: [{ seen: seenJob(), before: queued }], open: [queued] }) },
    repairs: [],
  },
  {
    what: 'an idle agent without a job, in two looks',
    view: { launches: launchesView([idleLaunch()]), looks: before(-1) },
    repairs: ['retire gitea-7-8-1'],
  },
  {
    what: 'a queued job with its idle agent, and a job of which nothing is known',
    view: {
      jobs: jobsOf({
        open: [{ ...queued, launches: 1, lastLaunch: { launchId: 'gitea-7-8-1', atEpochMs: 0 } }],
        unknown: [jobRecord({ jobId: 9 })],
      }),
      launches: launchesView([idleLaunch()]),
      looks: before(1),
    },
    repairs: [],
  },
  {
    what: 'an idle agent whose job may still be queued',
    view: { jobs: jobsOf({ unknown: [queued] }), launches: launchesView([idleLaunch()]), looks: before(-1) },
    repairs: [],
  },
  {
    what: 'an agent that has been idle for too long',
    view: { launches: launchesView([idleLaunch({ connectedAtEpochMs: roundAtEpochMs - 300_000 })]) },
    repairs: ['retire gitea-7-8-1'],
  },
  {
    what: 'an agent whose job is over, and whose runner is gone',
    view: {
      jobs: jobsOf({ over: new Set(['gitea/7/8/1']) }),
      launches: launchesView([busy], { withoutRunner: new Set([busy.launchId]) }),
    },
    repairs: ['retire gitea-7-8-1'],
  },
  {
    what: 'an agent whose job is over, and whose runner is there',
    view: { jobs: jobsOf({ over: new Set(['gitea/7/8/1']) }), launches: launchesView([busy]) },
    repairs: [],
  },
  {
    what: 'an agent whose runner is gone, and of whose job nothing is known',
    view: { launches: launchesView([busy], { withoutRunner: new Set([busy.launchId]) }) },
    repairs: [],
  },
  {
    what: 'a runner whose launch nobody knows',
    view: { runners: [named(70)] },
    repairs: ['unregister'],
  },
  {
    what: 'a runner whose launch could not be read',
    view: { runners: [named(70)], launches: launchesView([], { unread: new Set(['gitea-7-8-1']) }) },
    repairs: [],
  },
  {
    what: "a stranger's runner",
    view: { runners: [named(70, 'davit-ffffffff-gitea-7-8-1')] },
    repairs: [],
  },
];

test.each(cases)('a round that sees $what plans $repairs', ({ view, repairs }) => {
  const planned = planRound(roundView(view)).repairs;

  const words = planned.map((repair) => {
    const subject = repair.kind === 'launch' ? repair.launchId : subjectOf(repair).replace(/^\S+ /, '');
    return repair.kind === 'unregister' ? repair.kind : `${repair.kind} ${subject}`;
  });
  expect(words).toEqual(repairs);
  expect(planned.every((repair) => reasonOf(repair).length > 0)).toBe(true);
});
