import { type CiRunner, type CiScope, repositoryText, scopeText } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Profile } from '../../core/config/config.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { readLabels } from '../../core/job/job-labels.ts';
import { longestJobText, type SeenJob } from '../../core/job/job-record.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { runnerPrefixOf } from '../../core/launch/runner-names.ts';
import { shorten } from '../../core/well-formed.ts';
import type { CiJob, CiSystem, FailedDelivery } from '../../ports/ci-system.ts';
import type { KnownPlace } from '../../ports/jobs.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** A runner, and where it is registered. */
export interface RegisteredRunner {
  runner: CiRunner;
  scope: CiScope;
}

/** The state of a CI system at one moment, in its own words. */
export interface CiSight {
  /** The queued and running jobs, oldest first. A job that is missing may be there even so: `askForJob`. */
  jobs: SeenJob[];
  /**
   * The runners of this davit by their names, and where they are registered. A runner that is missing may be there even
   * so: `withoutRunner`.
   */
  runners: RegisteredRunner[];
  failedDeliveries: FailedDelivery[];
  /** Says whether the CI system refused to show a scope: nothing is known of its jobs and runners. */
  isHidden: (scope: CiScope) => boolean;
}

/** What to read, and where. */
export interface CiQuestion {
  system: Pick<CiSystemConfig, 'name' | 'provider'>;
  profiles: readonly Profile[];
  /** The repositories with events in the last day. */
  places: readonly KnownPlace[];
  /** The live launches whose agents join this CI system. */
  launches: readonly LaunchRecord[];
  /** Where profiles keep warm agents. davit.yaml may have a name that nobody has. */
  warmScopes: readonly CiScope[];
  installationId: string;
}

/**
 * Reads everything that reconciling needs from a CI system, or fails: half a list would look like surplus. Reports each
 * place that the CI system refuses to show, such as a deleted repository: it must not stop the others.
 *
 * @throws TransientError when one of the requests gets no answer, or there is no time for all of them
 */
export async function readCi(
  ci: CiSystem,
  question: CiQuestion,
  run: Pick<ReconcileRun, 'attempt' | 'fail' | 'mayBegin'>,
): Promise<CiSight> {
  const { places, installationId } = question;
  const repositories = places.map(({ repository }) => repository);
  const organizations = new Map(
    places.map(({ repository, organization }) => [repositoryText(repository), organization]),
  );
  const hidden = new Set<string>();
  const mayBegin = () => run.mayBegin();
  const readShown = async (scope: CiScope, read: () => Promise<void>) => {
    // A function that is stopped would not count its requests.
    if (!mayBegin()) throw new TransientError('CiUnavailable', `no time to ask for ${scopeText(scope)}`);
    try {
      await read();
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      hidden.add(scopeText(scope).toLowerCase());
      run.fail(`jobs and runners of ${scopeText(scope)}`, error.message);
    }
  };
  const isHidden = (scope: CiScope) =>
    hidden.has(scopeText(scope).toLowerCase()) ||
    ('repository' in scope && hidden.has(scope.repository.owner.toLowerCase()));

  const jobs = new Map<string, SeenJob>();
  for (const scope of jobScopesOf(question)) {
    const within = repositories.filter(
      (repository) => 'organization' in scope && repository.owner === scope.organization,
    );
    await readShown(scope, async () => {
      for (const job of await ci.listJobs(scope, ['queued', 'in_progress'], within, mayBegin)) {
        const organization = organizations.get(repositoryText(job.repository)) ?? organizationOf(scope);
        const seen = seenJobOf(question.system, job, organization);
        if (seen !== undefined) jobs.set(jobKeyOf(seen), seen);
      }
    });
  }
  const runners: CiSight['runners'] = [];
  for (const scope of runnerScopesOf(question).filter((each) => !isHidden(each))) {
    await readShown(scope, async () => {
      for (const runner of await ci.findRunners(scope, runnerPrefixOf(installationId))) runners.push({ runner, scope });
    });
  }
  const failedDeliveries = await run.attempt('failed deliveries', () => ci.listFailedDeliveries());
  return {
    jobs: [...jobs.values()],
    runners,
    failedDeliveries: failedDeliveries ?? [],
    isHidden,
  };
}

/** The organization if a profile registers runners there; otherwise its repositories, which needs fewer rights. */
export function jobScopesOf({ system, profiles, places, launches }: CiQuestion): CiScope[] {
  const asksOrganizations = registersIn(system, profiles, 'organization');
  const ofPlaces = places.map(
    ({ repository, organization }): CiScope =>
      asksOrganizations && organization !== undefined ? { organization } : { repository },
  );
  const ofLaunches = launches.flatMap(({ plan }) => plan?.join?.scope ?? []);
  const scopes = distinct([...ofPlaces, ...ofLaunches]);
  const organizations = new Set(scopes.flatMap((scope) => ('organization' in scope ? scope.organization : [])));
  return scopes.filter((scope) => 'organization' in scope || !organizations.has(scope.repository.owner));
}

/** Every scope that a runner of this davit may be registered in. */
export function runnerScopesOf({ system, profiles, places, launches, warmScopes }: CiQuestion): CiScope[] {
  const inOrganizations = registersIn(system, profiles, 'organization');
  const inRepositories = registersIn(system, profiles, 'repository');
  const ofPlaces = places.flatMap(({ repository, organization }): CiScope[] => [
    ...(inOrganizations && organization !== undefined ? [{ organization }] : []),
    ...(inRepositories || organization === undefined ? [{ repository }] : []),
  ]);
  return distinct([...ofPlaces, ...launches.flatMap(({ plan }) => plan?.join?.scope ?? []), ...warmScopes]);
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

/** @returns undefined for a job with more or longer labels than davit stores: no agent of davit's can run it */
function seenJobOf(
  { name: ciSystem, provider }: CiQuestion['system'],
  job: CiJob,
  organization: string | undefined,
): SeenJob | undefined {
  const { id, attempt, repository, repositoryId, name, status, runner, url, runId, workflow, sha } = job;
  const { labels } = readLabels(provider, job.labels);
  if (labels === undefined) return undefined;
  return {
    ciSystem,
    repositoryId,
    jobId: id,
    attempt,
    status,
    repository,
    name: shorten(name, longestJobText),
    labels,
    ...given({ organization, runner, url: url === '' ? undefined : url, runId, sha }),
    ...given({ workflow: workflow === undefined ? undefined : shorten(workflow, longestJobText) }),
    ...given({ queuedAtEpochMs: job.queuedAtEpochMs }),
  };
}

function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Fields]?: NonNullable<Fields[Key]> };
}
