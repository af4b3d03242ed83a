import { type CiRunner, type CiScope, repositoryText, scopeText } from '../domain/ci-scope.ts';
import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import type { Profile } from '../domain/config.ts';
import { jobKeyOf, type SeenJob } from '../domain/job-record.ts';
import type { LaunchRecord } from '../domain/launch-record.ts';
import { runnerPrefixOf } from '../domain/runner-names.ts';
import type { CiJob, CiSystem, FailedDelivery } from '../ports/ci-system.ts';
import type { KnownPlace } from '../ports/jobs.ts';

/** What a CI system says of itself, at one moment. */
export interface CiSight {
  /** The jobs that are queued or run, oldest first. */
  jobs: SeenJob[];
  /** The runners with the names of this davit's, and where they are registered. */
  runners: { runner: CiRunner; scope: CiScope }[];
  failedDeliveries: FailedDelivery[];
}

/** Where to ask, and for what. */
export interface CiQuestion {
  system: Pick<CiSystemConfig, 'name' | 'provider'>;
  profiles: readonly Profile[];
  /** The repositories with events in the last day. */
  places: readonly KnownPlace[];
  /** The live launches whose agents join this CI system. */
  launches: readonly LaunchRecord[];
  installationId: string;
}

/**
 * Reads all that reconciling needs of a CI system. It is all or nothing: half a list would look like surplus.
 *
 * @throws TransientError, TerminalError when one of the questions is not answered
 */
export async function readCi(ci: CiSystem, question: CiQuestion): Promise<CiSight> {
  const { places, installationId } = question;
  const repositories = places.map(({ repository }) => repository);
  const organizations = new Map(
    places.map(({ repository, organization }) => [repositoryText(repository), organization]),
  );
  const jobs = new Map<string, SeenJob>();
  for (const scope of jobScopesOf(question)) {
    const within = repositories.filter(
      (repository) => 'organization' in scope && repository.owner === scope.organization,
    );
    for (const job of await ci.listJobs(scope, ['queued', 'in_progress'], within)) {
      const organization = organizations.get(repositoryText(job.repository)) ?? organizationOf(scope);
      const seen = seenJobOf(question.system.name, job, organization);
      jobs.set(jobKeyOf(seen), seen);
    }
  }
  const runners: CiSight['runners'] = [];
  for (const scope of runnerScopesOf(question)) {
    for (const runner of await ci.findRunners(scope, runnerPrefixOf(installationId))) runners.push({ runner, scope });
  }
  return { jobs: [...jobs.values()], runners, failedDeliveries: await ci.listFailedDeliveries() };
}

/** A whole organisation, where one of the profiles registers runners there: else its repositories, which takes less rights. */
export function jobScopesOf({ system, profiles, places, launches }: Omit<CiQuestion, 'installationId'>): CiScope[] {
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

/** Every place where a runner of this davit may be registered. */
export function runnerScopesOf({ system, profiles, places, launches }: Omit<CiQuestion, 'installationId'>): CiScope[] {
  const inOrganizations = registersIn(system, profiles, 'organization');
  const inRepositories = registersIn(system, profiles, 'repository');
  const ofPlaces = places.flatMap(({ repository, organization }): CiScope[] => [
    ...(inOrganizations && organization !== undefined ? [{ organization }] : []),
    ...(inRepositories || organization === undefined ? [{ repository }] : []),
  ]);
  return distinct([...ofPlaces, ...launches.flatMap(({ plan }) => plan?.join?.scope ?? [])]);
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

function seenJobOf(ciSystem: string, job: CiJob, organization: string | undefined): SeenJob {
  const { id, attempt, repository, repositoryId, name, labels, status, runner, url, runId, workflow, sha } = job;
  return {
    ciSystem,
    repositoryId,
    jobId: id,
    attempt,
    status,
    repository,
    name,
    labels: [...labels],
    ...given({ organization, runner, url: url === '' ? undefined : url, runId, workflow, sha }),
    ...given({ queuedAtEpochMs: job.queuedAtEpochMs }),
  };
}

function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Fields]?: NonNullable<Fields[Key]> };
}
