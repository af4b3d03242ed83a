import { type CiScope, everyOwner, scopeText } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { ciCredentialSecrets, isPolled, profilesOf, scaleSetOf } from '../../core/ci/ci-systems.ts';
import { noteAttempts } from '../../core/ci/failing-delivery.ts';
import type { Config } from '../../core/config/config.ts';
import type { Profile } from '../../core/config/profile.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { present } from '../../core/present.ts';
import type { CiInspection, CiWebhook } from '../../ports/ci-inspection.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import { KeptElsewhere } from '../api/secret-source.ts';
import { wordsOf } from '../words-of.ts';
import { type Finding, ok, problem, skipped, warning } from './finding.ts';
import { sayLostWebhooks } from './lost-webhooks.ts';

/** The calls that the checks make. */
export type CheckedCiSystem = Pick<CiSystem, 'findRunners' | 'listJobs' | 'listsJobsOf' | 'listDeliveries' | 'usage'> &
  CiInspection;

/** The input of the checks of CI systems. */
export interface CiChecks {
  openCiSystem: (name: string) => CheckedCiSystem;
  /** The scopes in which davit acts: the caller's, or otherwise those of the profiles' allowlists. */
  scopes: readonly CiScope[];
  /** Whether davit runs. Before its first start, a missing webhook is no problem but the next step. @default true */
  isRunning?: boolean;
}

/** Checks the permissions of davit's credential in each CI system, and whether webhooks arrive. */
export async function checkCiSystems(config: Config, checks: CiChecks): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const system of config.ciSystems) found.push(...(await checkCiSystem(system, config.profiles, checks)));
  return found;
}

async function checkCiSystem(
  system: CiSystemConfig,
  profiles: readonly Profile[],
  { openCiSystem, scopes, isRunning = true }: CiChecks,
): Promise<Finding[]> {
  const about = `CI system ${system.name}`;
  if (ciCredentialSecrets(system).length === 0) {
    return [skipped(about, 'davit only reads its webhooks: davit.yaml gives no credential to act there')];
  }
  if (scaleSetOf(system) !== undefined) return checkScaleSet(about, system, profiles, openCiSystem(system.name));
  if (isPolled(system)) return checkPolledSystem(about, openCiSystem(system.name));
  if (scopes.length === 0) return [skipped(about, 'no organization is known: name one by --scope')];
  const ci = openCiSystem(system.name);
  const found: Finding[] = [];
  for (const scope of scopes) {
    const where = `${about}: ${scopeText(scope)}`;
    const hasJobList = 'repository' in scope || ci.listsJobsOf === 'organization';
    found.push(
      await checkManaging(where, scope, ci),
      ...(hasJobList
        ? [
            await attempt(where, 'queued jobs can be listed', 'Lost webhooks are not repaired.', () =>
              ci.listJobs(scope, ['queued']),
            ),
          ]
        : []),
      ...(await checkGroups(
        where,
        profiles.filter(({ runner }) => runner === system.provider),
        (wanted) => ci.checkGroup(scope, wanted),
      )),
      await checkWebhook(where, system, isRunning, () => ci.listWebhooks(scope)),
    );
  }
  const deliveries = await checkDeliveries(about, system, ci);
  return [...found, deliveries, sayLostWebhooks(`${about}: webhooks`, system, profiles, ci)];
}

/** Checks a system that davit polls: it has no webhooks, and its runners are for all of its jobs. */
async function checkPolledSystem(about: string, ci: CheckedCiSystem): Promise<Finding[]> {
  const scope = { organization: everyOwner };
  const found = [
    await attempt(about, 'runners can be listed', 'davit does not see its agents.', () =>
      ci.findRunners(scope, 'davit-'),
    ),
    await attempt(about, 'queued jobs can be listed', 'No job gets an agent.', () => ci.listJobs(scope, ['queued'])),
  ];
  if (ci.checkRunners === undefined) return found;
  const what = 'runners can be made, connected, stopped and removed';
  return [
    ...found,
    await attempt(about, what, 'Agents cannot be registered, or are left behind.', async () => ci.checkRunners?.()),
  ];
}

/** Checks a scale set: davit's credential may read its queue, and GitHub gives it the labels of its profile. */
async function checkScaleSet(
  about: string,
  system: CiSystemConfig,
  profiles: readonly Profile[],
  ci: CheckedCiSystem,
): Promise<Finding[]> {
  const { organization, repository = '' } = scaleSetOf(system) ?? {};
  const scope = scopeOf(organization ?? repository);
  const where = `${about}: ${scopeText(scope)}`;
  const [profile] = profilesOf(system, profiles);
  const { labels = [], runnerGroup, repositories } = profile ?? {};
  const wanted = { labels, ...present({ group: runnerGroup, repositories }) };
  return [
    await checkManaging(where, scope, ci),
    await attempt(where, 'the scale set can be used', 'No job gets an agent.', async () => ci.checkQueue?.(wanted)),
  ];
}

function checkManaging(about: string, scope: CiScope, ci: CheckedCiSystem): Promise<Finding> {
  const call = () => ci.findRunners(scope, 'davit-');
  return attempt(about, 'runners can be managed', 'No agent can be registered.', call);
}

async function attempt(about: string, what: string, why: string, call: () => Promise<unknown>): Promise<Finding> {
  try {
    await call();
    return ok(about, what);
  } catch (error) {
    if (error instanceof KeptElsewhere) return skipped(about, error.message);
    return problem(about, wordsOf(error), why, fixOf(error));
  }
}

function fixOf(error: unknown): string {
  if (error instanceof TransientError) return unreachableFix;
  return wordsOf(error).includes(': 401: ') ? credentialFix : permissionFix;
}

const unreachableFix =
  'see whether it is up, whether its url in davit.yaml is right, and whether this machine reaches it';
const permissionFix =
  'give the App, the token or the user this permission: docs/github.md, docs/gitea.md, docs/jenkins.md, docs/buildkite.md, docs/forgejo.md and docs/gitlab.md list them';
const credentialFix = "put the App's own private key, or a token that is valid, into the secret that davit.yaml names";

/** Checks that the runner group of each profile exists, and is open to the profile's repositories alone. */
async function checkGroups(
  about: string,
  profiles: readonly Profile[],
  check: (runner: Parameters<CiInspection['checkGroup']>[1]) => Promise<void>,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { name, runnerGroup: group, repositories } of profiles) {
    if (group === undefined) continue;
    const wanted = { group, ...present({ repositories }) };
    const why = `No agent of profile ${name} can be registered.`;
    found.push(
      await attempt(about, `profile ${name}: the runner group ${group} can be joined`, why, () => check(wanted)),
    );
  }
  return found;
}

async function checkWebhook(
  where: string,
  { name }: CiSystemConfig,
  isRunning: boolean,
  list: () => Promise<CiWebhook[]>,
): Promise<Finding> {
  const about = `${where}: webhook`;
  const why = 'Jobs wait until reconciling finds them.';
  const wrong = (what: string, fix: string) => problem(about, what, why, fix);
  try {
    const hooks = await list();
    const own = hooks.find(({ url }) => url.endsWith(`/webhooks/${name}`));
    if (own === undefined) {
      const others = hooks.length === 0 ? 'there is none' : `there are ${hooks.map(({ url }) => url).join(', ')}`;
      const what = `no webhook has a URL that ends in /webhooks/${name}: ${others}`;
      return (isRunning ? problem : warning)(about, what, why, 'make it: docs/github.md, docs/gitea.md');
    }
    if (!own.isActive) return wrong(`the webhook to ${own.url} is not active`, 'activate it in its settings');
    if (!own.sendsJobs) return wrong(`the webhook to ${own.url} sends no jobs`, 'add the event "Workflow jobs" to it');
    const { lastStatus } = own;
    if (lastStatus !== undefined && lastStatus >= 400)
      return wrong(
        `the last delivery to ${own.url} was answered ${lastStatus}`,
        'open its recent deliveries: the answer says why',
      );
    return ok(about, `${own.url}${lastStatus === undefined ? '' : `, last answered ${lastStatus}`}`);
  } catch (error) {
    if (error instanceof KeptElsewhere) return skipped(about, error.message);
    return skipped(about, `davit's credential may not list webhooks, which davit does not need: ${wordsOf(error)}`);
  }
}

async function checkDeliveries(
  about: string,
  { provider, name }: CiSystemConfig,
  ci: CheckedCiSystem,
): Promise<Finding> {
  const where = `${about}: webhooks`;
  if (provider !== 'github') return skipped(where, 'the CI system keeps no list of deliveries that davit can read');
  try {
    const { attempts } = await ci.listDeliveries();
    const failed = noteAttempts([], attempts, 'workflow_job');
    const [last] = failed.toSorted((one, other) => other.firstAtEpochMs - one.firstAtEpochMs);
    if (last === undefined) return ok(where, 'no delivery has failed lately');
    const what = `${failed.length} deliveries failed, the last one at ${new Date(last.firstAtEpochMs).toISOString()}`;
    const fix = `open Recent Deliveries in the App's settings: the answer says why; the URL ends in /webhooks/${name}`;
    return problem(where, what, 'Its jobs wait until reconciling finds them.', fix);
  } catch (error) {
    return skipped(where, wordsOf(error));
  }
}

/**
 * Reads the scopes from the profiles' allowlists: `acme/*` is the organization acme. An owner may be a path, as a
 * GitLab's groups are.
 */
export function scopesOf({ profiles }: Config, given: readonly string[]): CiScope[] {
  const named = given.length > 0 ? given : profiles.flatMap(({ repositories = [] }) => repositories);
  const texts = new Set(named.map((text) => (text.endsWith('/*') ? text.slice(0, -2) : text)));
  return [...texts].filter((text) => !text.includes('*')).map(scopeOf);
}

function scopeOf(text: string): CiScope {
  const end = text.lastIndexOf('/');
  return end < 0 ? { organization: text } : { repository: { owner: text.slice(0, end), name: text.slice(end + 1) } };
}
