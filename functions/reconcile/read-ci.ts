import { atATime } from '../../core/at-a-time.ts';
import { type CiScope, everyOwner, repositoryText, scopeText } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { RoundCursor } from '../../core/ci/round-cursor.ts';
import { secondNetMinutes } from '../../core/ci/round-shares.ts';
import type { Profile } from '../../core/config/config.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { byJobId, jobKeyOf } from '../../core/job/job-id.ts';
import type { SeenJob } from '../../core/job/job-record.ts';
import { seenJobOf } from '../../core/job/seen-job.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { runnerPrefixOf } from '../../core/launch/runner-names.ts';
import { present } from '../../core/present.ts';
import { inTurns } from '../../core/turns.ts';
import type { CiSystem, ListedRunner } from '../../ports/ci-system.ts';
import type { KnownRepository } from '../../ports/jobs.ts';
import type { Allowance } from './allowance.ts';
import { mayBeSpent } from './pool-view.ts';
import { readRunnerList } from './read-runner-list.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** How many lists to read at a time. */
const listsAtATime = 8;

/** As many where lists are the second net: those that have begun when its budget is used up exceed it. */
const netListsAtATime = 3;

/** A runner, and where it is registered. */
export interface RegisteredRunner {
  runner: ListedRunner;
  scope: CiScope;
}

/** What the lists of a CI system say that a round had room for. */
export interface CiSight {
  /** The queued and running jobs, oldest first. A job that is missing may be there even so: `askForJob`. */
  jobs: SeenJob[];
  /**
   * The runners of this davit by their names, and where they are registered. A runner that is missing may be there even
   * so: `withoutRunner`.
   */
  runners: RegisteredRunner[];
  /** Says whether the CI system refused to show a scope: nothing is known of its jobs and runners. */
  isHidden: (scope: CiScope) => boolean;
  /** Says whether the CI system was asked for the jobs of a scope, and did not answer. */
  isSilent: (scope: CiScope) => boolean;
  /** Says whether the list of a scope's jobs was read. */
  hasJobsOf: (scope: CiScope) => boolean;
  /** Says whether the list of a scope's runners was read to its end. */
  hasRunnersOf: (scope: CiScope) => boolean;
  /** Where the next round goes on. */
  cursor: Pick<RoundCursor, 'jobLists' | 'turn' | 'runnerLists' | 'runnerPages'>;
}

interface CiQuestion {
  system: Pick<CiSystemConfig, 'name' | 'provider'>;
  profiles: readonly Profile[];
  /** The repositories with events in the last day. */
  repositories: readonly KnownRepository[];
  /** The live launches whose agents join this CI system. */
  launches: readonly LaunchRecord[];
  /** Where profiles keep warm agents. davit.yaml may have a name that nobody has. */
  warmScopes: readonly CiScope[];
  installationId: string;
  /** How far the last round came. */
  cursor: RoundCursor | undefined;
  /** Whether the CI system's own list of deliveries was read: it tells of each webhook that did not arrive. */
  hasDeliveries: boolean;
  nowEpochMs: number;
}

/**
 * Reads the lists of a CI system, as far as there is time and budget: repositories take turns. Reports each place that the
 * CI system does not show, or of which it says nothing: it must not stop the others.
 */
export async function readCi(
  ci: CiSystem,
  question: CiQuestion,
  run: Pick<ReconcileRun, 'fail'>,
  allowance: Allowance,
): Promise<CiSight> {
  const { repositories, installationId, cursor, system } = question;
  const organizations = new Map(
    repositories.map(({ repository, organization }) => [repositoryText(repository), organization]),
  );
  const hidden = new ScopeSet();
  const silent = new ScopeSet();
  const jobs = new Map<string, SeenJob>();
  const runners: RegisteredRunner[] = [];

  /** Asks for a scope's list. A refusal is an answer: the scope is hidden. */
  const askFor = async <Said>(scope: CiScope, list: () => Promise<Said>) => {
    const subject = `jobs and runners of ${scopeText(scope)}`;
    const asked = await allowance.ask(subject, async () => {
      try {
        return await list();
      } catch (error) {
        if (!(error instanceof TerminalError)) throw error;
        run.fail(subject, error.message);
        return 'hidden' as const;
      }
    });
    if (asked?.answer === 'hidden') hidden.add(scope);
    return asked === undefined || asked.answer === 'hidden' ? undefined : { said: asked.answer };
  };

  const scopes = jobScopesOf(question, ci.listsJobsOf);
  const jobTurns = inTurns(scopes, scopeText, cursor?.jobLists);
  const listed = new ScopeSet();
  let listsRead = 0;
  await atATime(question.hasDeliveries ? netListsAtATime : listsAtATime, jobTurns.things, async (scope) => {
    if (!(await allowance.mayAsk('jobLists', question.hasDeliveries ? secondNetMinutes : Infinity))) return;
    jobTurns.taken(scope);
    const answer = await askFor(scope, () => ci.listJobs(scope, ['queued', 'in_progress']));
    if (answer === undefined) {
      if (!hidden.has(scope)) silent.add(scope);
      return;
    }
    listed.add(scope);
    listsRead += 1;
    // A repository of an organization may be deleted: its jobs are asked for one by one.
    if (answer.said === undefined && !isOfOrganization(question, scope)) {
      hidden.add(scope);
      run.fail(`jobs and runners of ${scopeText(scope)}`, 'its CI system shows no such repository');
    }
    for (const each of answer.said ?? []) {
      const organization = organizations.get(repositoryText(each.repository)) ?? organizationOf(scope);
      const { job } = seenJobOf(system, { ...each, organization });
      if (job !== undefined) jobs.set(jobKeyOf(job), job);
    }
  });

  const isHidden = (scope: CiScope) => hidden.covers(scope);
  const doubts = doubtsOf(question);
  const shown = runnerScopesOf(question).filter((each) => !isHidden(each));
  const runnerTurns = inTurns(shown, scopeText, cursor?.runnerLists);
  const runnersListed = new ScopeSet();
  const pages = new Map(shown.flatMap((scope) => pageOf(cursor, scope)));
  await atATime(listsAtATime, runnerTurns.things, async (scope) => {
    if (!(await allowance.mayAsk('runnerLists'))) return;
    runnerTurns.taken(scope);
    const place = scopeText(scope);
    const page = pages.get(place) ?? 1;
    const asked = { scope, namePrefix: runnerPrefixOf(installationId), page, doubts: doubts.get(place) ?? 0 };
    const answer = await askFor(scope, () => readRunnerList(ci, asked));
    if (answer === undefined) return;
    const { runners: found, isWhole, next } = answer.said;
    if (next === undefined) pages.delete(place);
    else pages.set(place, next);
    if (isWhole) runnersListed.add(scope);
    for (const runner of found) runners.push({ runner, scope });
  });
  return {
    jobs: [...jobs.values()].toSorted(byJobId),
    runners,
    isHidden,
    isSilent: (scope) => silent.covers(scope),
    hasJobsOf: (scope) => listed.covers(scope),
    hasRunnersOf: (scope) => runnersListed.covers(scope),
    cursor: present({
      jobLists: jobTurns.next(),
      turn: listsRead === 0 ? cursor?.turn : { scopes: scopes.length, listed: listsRead },
      runnerPages: pages.size === 0 ? undefined : Object.fromEntries(pages),
      runnerLists: runnerTurns.next(),
    }),
  };
}

/** @returns the next page of a scope's list of runners; none for the first one */
function pageOf(cursor: RoundCursor | undefined, scope: CiScope): [string, number][] {
  const page = cursor?.runnerPages?.[scopeText(scope)];
  return page === undefined ? [] : [[scopeText(scope), page]];
}

/** Counts the runners of each scope that the round would ask for one by one, as far as the index knows. */
function doubtsOf({ launches, nowEpochMs }: CiQuestion): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const launch of launches) {
    const scope = launch.plan?.join?.scope;
    if (scope === undefined || !mayBeSpent(launch, nowEpochMs)) continue;
    counts.set(scopeText(scope), (counts.get(scopeText(scope)) ?? 0) + 1);
  }
  return counts;
}

/** Scopes by their names, whose case CI systems ignore. */
class ScopeSet {
  readonly #names = new Set<string>();

  add(scope: CiScope): void {
    this.#names.add(scopeText(scope).toLowerCase());
  }

  has(scope: CiScope): boolean {
    return this.#names.has(scopeText(scope).toLowerCase());
  }

  /** Says whether it has a scope, the organization of a repository, or the whole CI system. */
  covers(scope: CiScope): boolean {
    if (this.has(scope) || this.#names.has(everyOwner)) return true;
    return 'repository' in scope && this.#names.has(scope.repository.owner.toLowerCase());
  }
}

/**
 * The organization if a profile registers runners there and the CI system lists its jobs; otherwise its repositories, which
 * needs fewer rights.
 */
export function jobScopesOf(
  { system, profiles, repositories, launches }: CiQuestion,
  listsJobsOf: CiSystem['listsJobsOf'],
): CiScope[] {
  const asksOrganizations = listsJobsOf === 'organization' && registersIn(system, profiles, 'organization');
  const ofRepositories = repositories.map(
    ({ repository, organization }): CiScope =>
      asksOrganizations && organization !== undefined ? { organization } : { repository },
  );
  const ofLaunches = launches
    .flatMap(({ plan }) => plan?.join?.scope ?? [])
    .filter((scope) => 'repository' in scope || asksOrganizations);
  const scopes = distinct([...ofRepositories, ...ofLaunches]);
  const organizations = new Set(scopes.flatMap((scope) => ('organization' in scope ? scope.organization : [])));
  return scopes.filter((scope) => 'organization' in scope || !organizations.has(scope.repository.owner));
}

/** Says whether the runners for a scope's jobs are registered in its organization. */
function isOfOrganization({ system, profiles, repositories }: CiQuestion, scope: CiScope): boolean {
  const isOwned = repositories.some(
    ({ repository, organization }) => organization !== undefined && repositoryText(repository) === scopeText(scope),
  );
  return 'organization' in scope || (isOwned && registersIn(system, profiles, 'organization'));
}

/** Every scope that a runner of this davit may be registered in. */
export function runnerScopesOf({ system, profiles, repositories, launches, warmScopes }: CiQuestion): CiScope[] {
  const inOrganizations = registersIn(system, profiles, 'organization');
  const inRepositories = registersIn(system, profiles, 'repository');
  const ofRepositories = repositories.flatMap(({ repository, organization }): CiScope[] => [
    ...(inOrganizations && organization !== undefined ? [{ organization }] : []),
    ...(inRepositories || organization === undefined ? [{ repository }] : []),
  ]);
  return distinct([...ofRepositories, ...launches.flatMap(({ plan }) => plan?.join?.scope ?? []), ...warmScopes]);
}

function registersIn(
  { provider }: Pick<CiSystemConfig, 'provider'>,
  profiles: readonly Profile[],
  wanted: Profile['scope'],
): boolean {
  return profiles.some(({ runner, scope }) => runner === provider && scope === wanted);
}

function distinct(scopes: readonly CiScope[]): CiScope[] {
  return [...new Map(scopes.map((scope) => [scopeText(scope), scope])).values()];
}

function organizationOf(scope: CiScope): string | undefined {
  return 'organization' in scope ? scope.organization : undefined;
}
