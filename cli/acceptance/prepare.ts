import { randomBytes } from 'node:crypto';
import { type CiScope, everyOwner, type RepositoryName, repositoryText } from '../../core/ci/ci-scope.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { present } from '../../core/present.ts';
import { printable } from '../../core/printable.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { ConnectionOptions } from '../api/connection.ts';
import { type ConfigOptions, openConfig } from '../api/open-config.ts';
import { CliError } from '../cli-error.ts';
import { openApi } from '../commands/command-options.ts';
import { listLaunches } from '../commands/list-launches.ts';
import type { Terminal } from '../terminal.ts';
import type { Launch } from '../view/timeline.ts';
import { publicUrlFor } from '../webhook/run-webhook.ts';
import type { Acceptance } from './acceptance.ts';
import { chooseLabels } from './choose-labels.ts';
import type { AcceptanceCluster } from './delete-pod.ts';
import { type AcceptancePlace, acceptanceSystem, openAcceptanceCi, placeIn, withToken } from './open-ci.ts';
import { ownWebhook } from './own-webhook.ts';
import { readWebhookNews } from './webhook-news.ts';

/** The options of `davit acceptance`. */
export interface AcceptanceOptions extends ConnectionOptions, ConfigOptions {
  repository?: RepositoryName;
  /** Of Jenkins, for its jobs. @default the top */
  folder?: string;
  ciSystem: string;
  label?: string[];
  /** The names of the scenarios to run. @default all */
  scenario?: string[];
  burst: number;
  /** The file of the report. @default standard output */
  report?: string;
  /** How long all of it may take, in milliseconds. */
  timeout: number;
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  /** The file of a token that may start the jobs. @default davit's own credential */
  ciToken?: string;
  /** Jenkins' user to whom that token belongs. @default davit's own */
  ciUser?: string;
  /** The URL at which the CI systems reach davit. @default the one that the davit's own settings say */
  publicUrl?: string;
  yes?: boolean;
}

const ciRequestMs = 30_000;
/** The name by which the caller's own token is read. */
const ciTokenSecret = '--ci-token';
/** Longer than an agent is idle that gets no job, by default. */
const removalMs = 600_000;
const learnMs = 60_000;
/** More than an acceptance makes. */
const mostLaunches = 2000;

/**
 * Opens what an acceptance works with, and asks davit for its launches once. Changes nothing.
 *
 * @throws CliError when the options name something that is not there, or davit does not answer; ConfigError
 */
export async function prepare(
  options: AcceptanceOptions,
  terminal: Terminal,
  onLeft: Acceptance['onLeft'],
): Promise<{ acceptance: Acceptance; cluster: AcceptanceCluster | undefined }> {
  const { repository, burst, timeout, ciUser } = options;
  checkCluster(options);
  const { target, config, secrets, open } = await openConfig({ ...options, secret: filesOf(options) }, terminal);
  const configured = config.ciSystems.find(({ name }) => name === options.ciSystem);
  if (configured === undefined) throw unknownSystem(options, config.ciSystems);
  const system = acceptanceSystem(configured);
  const name = `davit-acceptance-${randomBytes(4).toString('hex')}`;
  const place = placeIn(system, options, name);
  const labels = chooseLabels(config.profiles, system, repository, options.label ?? []);
  const own = { tokenSecret: ciTokenSecret, ...present({ user: ciUser }) };
  const ci = openAcceptanceCi(
    options.ciToken === undefined ? system : withToken(system, own),
    place,
    secrets,
    ciRequestMs,
  );
  const ownCi = open([system], ciRequestMs)(system.name);
  const api = await openApi(options, terminal);
  const since = new Date(terminal.nowEpochMs()).toISOString();
  const asked = { since, limit: mostLaunches, ...(repository && { repository: repositoryText(repository) }) };
  const launches = async () => (await listLaunches(api, asked)).filter((launch) => isFor(launch, place));
  await launches();
  const publicUrl = await publicUrlFor(target, options);
  const cluster = await clusterOf(options);
  const acceptance: Acceptance = {
    ci,
    labels,
    burst,
    launches,
    runnerNames: () => runnerNames(ownCi, repository),
    webhook: ownWebhook(ci, system, { repository, publicUrl, secrets, ownCi, onLeft }),
    webhookNews: () => readWebhookNews(api, system.name),
    deletePod: cluster?.deletePod,
    untilMs: performance.now() + timeout,
    removalMs,
    learnMs,
    signal: terminal.signal,
    say: (text) => terminal.note(printable(text)),
    onLeft,
  };
  return { acceptance, cluster };
}

function unknownSystem({ config, ciSystem }: AcceptanceOptions, known: readonly { name: string }[]): CliError {
  const names = known.map(({ name }) => name).join(', ');
  return new CliError('unknown', 'ci-system-unknown', `${config} has no CI system ${ciSystem}: it has ${names}`);
}

function filesOf({ secret, ciToken }: AcceptanceOptions): ConfigOptions['secret'] {
  return ciToken === undefined ? secret : { ...secret, [ciTokenSecret]: ciToken };
}

/** The jobs of an acceptance in Jenkins have its prefix in their names; those in a repository are that repository's. */
function isFor({ plan, job }: Launch, place: AcceptancePlace): boolean {
  if (!('prefix' in place)) return true;
  const start = [...(place.folder === undefined ? [] : [place.folder]), `${place.prefix}-`].join('/');
  return [plan?.job?.name, job?.name].some((name) => name?.startsWith(start) === true);
}

/** Runners are registered for the repository or for its owner, which may be a person and have none. */
async function runnerNames(
  ci: Pick<CiSystem, 'findRunners'>,
  repository: RepositoryName | undefined,
): Promise<string[]> {
  const find = async (scope: CiScope) => (await ci.findRunners(scope, 'davit-')).map(({ name }) => name);
  // A Jenkins has nodes, for all of its jobs.
  if (repository === undefined) return find({ organization: everyOwner });
  const ofOwner = find({ organization: repository.owner }).catch((error: unknown) => {
    if (error instanceof TerminalError) return [];
    throw error;
  });
  return (await Promise.all([find({ repository }), ofOwner])).flat();
}

function checkCluster({ kubeconfig, context, namespace }: AcceptanceOptions): void {
  const isNamed = kubeconfig !== undefined && namespace !== undefined;
  if (isNamed || [kubeconfig, context, namespace].every((each) => each === undefined)) return;
  throw new CliError('usage', 'option-missing', '--kubeconfig and --namespace belong together');
}

/** Loads this only here, because Kubernetes' client takes half a second to load. */
async function clusterOf({
  kubeconfig,
  context,
  namespace,
}: AcceptanceOptions): Promise<AcceptanceCluster | undefined> {
  if (kubeconfig === undefined || namespace === undefined) return undefined;
  const { openAcceptanceCluster } = await import('./delete-pod.ts');
  return openAcceptanceCluster({ kubeconfig, namespace, ...present({ context }) });
}
