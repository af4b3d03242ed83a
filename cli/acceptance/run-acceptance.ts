import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { openCiSystems } from '../../ci/open-ci-systems.ts';
import type { CiScope, RepositoryName } from '../../core/ci/ci-scope.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { davitVersion } from '../../core/version.ts';
import { localConfigOf } from '../../local/runtime/local-secrets.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { ConnectionOptions } from '../api/connection.ts';
import { openSecretSource, SecretElsewhere } from '../api/secret-source.ts';
import { targetOf } from '../api/target.ts';
import { confirm } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import { openApi } from '../commands/command-options.ts';
import { listLaunches } from '../commands/list-launches.ts';
import { type Terminal, untilInterrupted } from '../terminal.ts';
import { printable } from '../view/table.ts';
import { wordsOf } from '../words-of.ts';
import type { Acceptance } from './acceptance.ts';
import { chooseLabels } from './choose-labels.ts';
import type { AcceptanceCluster } from './delete-pod.ts';
import { judgeTrace } from './judge-trace.ts';
import { openAcceptanceCi, withToken, workflowSystem } from './open-ci.ts';
import { reportText } from './report.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario, ScenarioResult } from './scenario.ts';
import { allScenarios } from './scenarios/all-scenarios.ts';

/** The options of `davit acceptance`. */
export interface AcceptanceOptions extends ConnectionOptions {
  config: string;
  repository: RepositoryName;
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
  /** Files of secrets, by the names in davit.yaml. */
  secret: Readonly<Record<string, string>>;
  /** The file of a token that may commit to the repository. @default davit's own credential */
  ciToken?: string;
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
 * Runs the scenarios in the caller's repository, and writes the report.
 *
 * @throws CliError when something did not hold or stays behind, and on Ctrl-C, after the removal; ConfigError
 */
export async function runAcceptance(options: AcceptanceOptions, terminal: Terminal): Promise<void> {
  const scenarios = chosenScenarios(options.scenario ?? []);
  checkCluster(options);
  const left: string[] = [];
  const { acceptance, cluster } = await prepare(options, terminal, (words) => {
    left.push(words);
    terminal.note(printable(words));
  });
  const ci = await orRefused(acceptance.ci.readVersion());
  await ask(options, terminal, acceptance);
  const results = await untilRemoved(terminal, collect(acceptance, scenarios, terminal));
  const trace = await judgeTrace(targetOf(options, terminal.env).kind === 'state' ? options.state : undefined);
  const versions = { davit: davitVersion, ci, kubernetes: cluster?.version, node: process.versions.node };
  const day = new Date(terminal.nowEpochMs()).toISOString().slice(0, 10);
  await publish(terminal, reportText({ versions, day, results, trace }), options.report);
  const broken = [...results, { name: 'trace', ...trace }].filter(({ verdict }) => verdict === 'not-held');
  const names = broken.map(({ name }) => name).join(', ');
  if (broken.length > 0) throw new CliError('failed', 'not-held', `davit does not hold: ${names}`);
  if (left.length > 0) throw new CliError('failed', 'left-behind', 'not everything could be removed');
}

function chosenScenarios(names: readonly string[]): readonly Scenario[] {
  const known = allScenarios.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return allScenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  throw new CliError('usage', 'scenario-unknown', `there is no scenario ${unknown}: there are ${known.join(', ')}`);
}

async function prepare(
  options: AcceptanceOptions,
  terminal: Terminal,
  onLeft: Acceptance['onLeft'],
): Promise<{ acceptance: Acceptance; cluster: AcceptanceCluster | undefined }> {
  const { repository, burst, timeout } = options;
  const target = targetOf(options, terminal.env);
  const written = await readConfig(options.config);
  const config = target.kind === 'stack' ? written : localConfigOf(written);
  const configured = config.ciSystems.find(({ name }) => name === options.ciSystem);
  if (configured === undefined) throw unknownSystem(options, written.ciSystems);
  const system = workflowSystem(configured);
  const labels = chooseLabels(config.profiles, system, repository, options.label ?? []);
  const branch = `davit-acceptance-${randomBytes(4).toString('hex')}`;
  const secrets = secretsOf(options, terminal);
  const committer = options.ciToken === undefined ? system : withToken(system, ciTokenSecret);
  const ci = openAcceptanceCi(committer, { repository, branch }, secrets, ciRequestMs);
  const ownCi = openCiSystems({ systems: [system], secrets, timeoutMs: ciRequestMs })(system.name);
  const api = await openApi(options, terminal);
  const since = new Date(terminal.nowEpochMs()).toISOString();
  const asked = { repository: `${repository.owner}/${repository.name}`, since, limit: mostLaunches };
  const launches = () => listLaunches(api, asked);
  await launches();
  const cluster = await clusterOf(options);
  const acceptance: Acceptance = {
    ci,
    branch,
    labels,
    burst,
    launches,
    runnerNames: () => runnerNames(ownCi, repository),
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

function secretsOf({ state, region, secret, ciToken, ...options }: AcceptanceOptions, { env }: Terminal) {
  const files = ciToken === undefined ? secret : { ...secret, [ciTokenSecret]: ciToken };
  const target = targetOf(options, env);
  const places = { target, isLocal: target.kind === 'state', state, files };
  return openSecretSource(region === undefined ? places : { ...places, region });
}

/** Runners are registered for the repository or for its owner, which may be a person and have none. */
async function runnerNames(ci: Pick<CiSystem, 'findRunners'>, repository: RepositoryName): Promise<string[]> {
  const find = async (scope: CiScope) => (await ci.findRunners(scope, 'davit-')).map(({ name }) => name);
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
  return openAcceptanceCluster({ kubeconfig, namespace, ...(context === undefined ? {} : { context }) });
}

async function ask(options: AcceptanceOptions, terminal: Terminal, { branch, labels }: Acceptance): Promise<void> {
  const { owner, name } = options.repository;
  const what = `commit workflows to the new branch ${branch} of ${owner}/${name}, and run their jobs on ${labels.join(', ')}`;
  if (options.yes === true) terminal.note(`this will ${what}`);
  else await confirm(terminal, `This will ${what}. Go on?`, 'the repository');
}

async function collect(
  acceptance: Acceptance,
  scenarios: readonly Scenario[],
  terminal: Terminal,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  for await (const result of runScenarios(acceptance, scenarios)) {
    results.push(result);
    const { name, verdict, why, details } = result;
    terminal.note(printable(`${verdict}  ${[name, ...why].join('; ')}`));
    for (const detail of details) terminal.note(printable(`  ${detail}`));
  }
  return results;
}

/** After Ctrl-C, waits until the branch is deleted. */
async function untilRemoved<Result>(terminal: Terminal, work: Promise<Result>): Promise<Result> {
  try {
    return await orRefused(untilInterrupted(terminal, work));
  } catch (error) {
    if (terminal.signal.aborted) terminal.note('removing the branch …');
    await Promise.allSettled([work]);
    throw error;
  }
}

/** What the CI system refuses, and a credential that cannot be read, is the caller's to mend, and no defect. */
async function orRefused<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw ciErrorOf(error) ?? error;
  }
}

function ciErrorOf(error: unknown): CliError | undefined {
  if (error instanceof SecretElsewhere) return new CliError('usage', 'secret-elsewhere', error.message);
  if (error instanceof TransientError) {
    return new CliError('unreachable', 'ci-unavailable', wordsOf(error), undefined, error);
  }
  if (error instanceof TerminalError) {
    const advice = 'The credential must be able to commit workflows: docs/acceptance.md lists its permissions.';
    return new CliError('refused', 'ci-refused', wordsOf(error), advice, error);
  }
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  return new CliError('usage', 'no-file', `a secret cannot be read: ${error.message}`, undefined, error);
}

async function publish({ line, note }: Terminal, text: string, file: string | undefined): Promise<void> {
  if (file === undefined) return line(text.trimEnd());
  try {
    await writeFile(file, text);
  } catch (error) {
    line(text.trimEnd());
    throw new CliError('usage', 'report-unwritable', `${file} cannot be written: ${wordsOf(error)}`, undefined, error);
  }
  note(`the report is in ${file}`);
}
