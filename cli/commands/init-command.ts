import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Command, Option } from 'commander';
import { CiProvider } from '../../core/ci/ci-system-config.ts';
import { configJsonSchema } from '../../core/config/config-json-schema.ts';
import { ask } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import {
  clusterOfContext,
  type FirstCluster,
  type FirstConfig,
  makeConfig,
  nextSteps,
  schemaFile,
} from '../init/make-config.ts';
import type { Terminal } from '../terminal.ts';
import { wordsOf } from '../words-of.ts';
import { withExamples } from './command-options.ts';

interface InitOptions {
  ci?: CiProvider;
  ciUser?: string;
  ciUrl?: string;
  app?: number;
  context?: string;
  eks?: string;
  region?: string;
  sandbox?: boolean;
  namespace: string;
  labels: string;
  image?: string;
  config: string;
}

/** Adds `davit init`. */
export function addInitCommand(program: Command, terminal: Terminal): void {
  withExamples(
    program
      .command('init')
      .description('write a first davit.yaml; asks for what the options do not say, and never overwrites')
      .addOption(new Option('--ci <provider>', 'the CI system').choices(CiProvider.options))
      .option('--ci-url <url>', "the CI system's URL (Gitea, GitHub Enterprise Server, Jenkins)")
      .option('--ci-user <id>', 'the user that davit acts as (Jenkins)')
      .option('--app <id>', "the id of GitHub's App, as davit github-app prints it (default: a token)", appId)
      .option('--context <name>', 'a cluster: a context of the kubeconfig')
      .option('--eks <cluster>', 'a cluster: the name of an EKS cluster')
      .option('--region <region>', "the EKS cluster's AWS region")
      .option('--sandbox', "a cluster: the local runtime's own, whose Pods are local processes")
      .option('--namespace <name>', 'where the agents run', 'davit-agents')
      .option('--labels <list>', 'the labels of jobs that get an agent', 'self-hosted,linux,x64')
      .option('--image <image>', "the agent's image (default: the CI system's own runner)")
      .option('--config <file>', 'the file to write', 'davit.yaml')
      .action((options: InitOptions) => init(terminal, options)),
    'davit init',
    'davit init --ci gitea --ci-url https://gitea.example.com --context builds',
    'davit init --ci github --app 123456 --eks builds --region eu-central-1',
    'davit init --ci jenkins --ci-url https://jenkins.example.com --ci-user davit --context builds',
    'davit init --ci standard --sandbox',
  );
}

async function init(terminal: Terminal, options: InitOptions): Promise<void> {
  const first = await complete(terminal, options);
  const text = makeConfig(first);
  await writeNew(options.config, text);
  await writeSchema(join(dirname(options.config), schemaFile));
  terminal.line(`wrote ${options.config}, and ${schemaFile} for editors`);
  terminal.line('');
  terminal.line('Next:');
  for (const step of nextSteps(first)) terminal.line(`  ${step}`);
}

/** Writes a file. @throws CliError when it is there, or cannot be written */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'EEXIST') {
      const message = `${file} cannot be written: ${error.message}`;
      throw new CliError('usage', 'file-not-written', message, 'Name another file by --config.', error);
    }
    const advice = 'Name another file by --config, or move it away.';
    throw new CliError('usage', 'file-exists', `${file} is there already`, advice, error);
  }
}

/** Leaves a schema alone that is there: it may be that of another version, or a link. */
async function writeSchema(file: string): Promise<void> {
  const schema = { title: 'davit.yaml', ...configJsonSchema() };
  try {
    await writeFile(file, `${JSON.stringify(schema, undefined, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Asks for the values that the options lack. */
async function complete(terminal: Terminal, options: InitOptions): Promise<FirstConfig> {
  const ci = options.ci ?? CiProvider.parse(await choose(terminal, 'Which CI system?', CiProvider.options, '--ci'));
  const needsUrl = ci === 'gitea' || ci === 'jenkins';
  const ciUrl = options.ciUrl ?? (needsUrl ? await ask(terminal, `The URL of ${ci}?`, '--ci-url') : undefined);
  const ciUser = options.ciUser ?? (ci === 'jenkins' ? await ask(terminal, "davit's user?", '--ci-user') : undefined);
  const { namespace, image } = options;
  const cluster = await clusterOf(terminal, options);
  const app = options.app ?? (cluster.kind === 'sandbox' || ci !== 'github' ? undefined : await askApp(terminal));
  return {
    ci,
    ...(ciUrl === undefined ? {} : { ciUrl }),
    ...(ciUser === undefined ? {} : { ciUser }),
    ...(app === undefined ? {} : { app }),
    cluster,
    namespace,
    labels: options.labels.split(',').filter((label) => label !== ''),
    ...(image === undefined ? {} : { image }),
  };
}

/** Only a person is asked: without one, the token is the default. */
async function askApp(terminal: Terminal): Promise<number | undefined> {
  if (!terminal.isInteractive) return undefined;
  const question = "The id of GitHub's App, which `davit github-app` makes? (Enter: a token, or an App later)";
  const answer = await ask(terminal, question, '--app');
  return answer === '' ? undefined : appId(answer);
}

function appId(text: string): number {
  if (/^[1-9]\d{0,11}$/.test(text)) return Number(text);
  throw new CliError('usage', 'app-invalid', `--app: expected the number that GitHub shows as App ID, found ${text}`);
}

async function clusterOf(terminal: Terminal, { eks, region, context, sandbox }: InitOptions): Promise<FirstCluster> {
  const given = [eks, context, sandbox].filter((one) => one !== undefined).length;
  if (given > 1) throw new CliError('usage', 'several-clusters', 'expected one of --context, --eks and --sandbox');
  if (sandbox === true) return { kind: 'sandbox', name: 'sandbox' };
  if (eks !== undefined) {
    const { name } = clusterOfContext(eks);
    return { kind: 'eks', name, clusterName: eks, ...(region === undefined ? {} : { region }) };
  }
  const contexts = await contextNames();
  if (context !== undefined && !contexts.includes(context)) {
    const known = contexts.length === 0 ? 'there is none' : `there are ${contexts.join(', ')}`;
    throw new CliError(
      'usage',
      'no-context',
      `the kubeconfig has no context ${context}: ${known}`,
      'kubectl config get-contexts',
    );
  }
  const chosen =
    context ?? (await choose(terminal, 'Which cluster?', [...contexts, 'sandbox'], '--context, --eks or --sandbox'));
  return chosen === 'sandbox' && context === undefined
    ? { kind: 'sandbox', name: 'sandbox' }
    : clusterOfContext(chosen);
}

/** The contexts of the kubeconfig that kubectl would use, the current one first. */
async function contextNames(): Promise<string[]> {
  // Loads it only here, because the client takes half a second to load.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (error) {
    const message = `the kubeconfig cannot be read: ${wordsOf(error)}`;
    throw new CliError(
      'usage',
      'kubeconfig-invalid',
      message,
      'Correct KUBECONFIG, or name a cluster: --eks, --sandbox.',
      error,
    );
  }
  const current = config.getCurrentContext();
  return config
    .getContexts()
    .map(({ name }) => name)
    .filter((name) => name !== 'loaded-context')
    .toSorted((one, other) => Number(other === current) - Number(one === current));
}

/** Lets the person choose. Enter takes the first choice. */
async function choose(
  terminal: Terminal,
  question: string,
  choices: readonly string[],
  option: string,
): Promise<string> {
  for (const [index, choice] of choices.entries())
    if (terminal.isInteractive) terminal.note(`  ${index + 1}  ${choice}`);
  const answer = (await ask(terminal, `${question} (1 to ${choices.length}; Enter: 1)`, option)) || '1';
  const chosen = choices[Number(answer) - 1] ?? choices.find((choice) => choice === answer);
  if (chosen !== undefined) return chosen;
  throw new CliError('usage', 'no-choice', `expected 1 to ${choices.length}, found ${answer}`);
}
