import { presets } from '../../core/agent/runner-preset.ts';
import { CiProvider } from '../../core/ci/ci-system-config.ts';
import { ask } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { wordsOf } from '../words-of.ts';
import { clusterOfContext, type FirstCluster, type FirstConfig } from './make-config.ts';

/** The options of `davit init` that say what is in a first davit.yaml. */
export interface FirstOptions {
  ci?: CiProvider;
  ciUser?: string;
  ciUrl?: string;
  app?: number;
  context?: string;
  eks?: string;
  region?: string;
  sandbox?: boolean;
  namespace: string;
  /** Separated by commas. */
  labels?: string;
  image?: string;
}

/** The labels of a first profile, as in `--labels`. Jenkins has none that its agents share. */
export function defaultLabels(ci: CiProvider): string {
  return ci === 'jenkins' ? 'linux' : 'self-hosted,linux,x64';
}

/**
 * Asks for the values that the options lack.
 *
 * @throws CliError `option-missing` when there is no person to ask, `option-unused`, `several-clusters`, `no-context`,
 *   `no-choice`, `image-in-sandbox`, `app-invalid`, `kubeconfig-invalid`
 */
export async function completeOptions(terminal: Terminal, options: FirstOptions): Promise<FirstConfig> {
  const ci = options.ci ?? CiProvider.parse(await choose(terminal, 'Which CI system?', CiProvider.options, '--ci'));
  refuseUnused(ci, options);
  const server = await serverOf(terminal, ci, options);
  const labels = await labelsOf(terminal, ci, options);
  const cluster = await clusterOf(terminal, options);
  const { namespace, image } = options;
  if (image !== undefined && cluster.kind === 'sandbox') throw imageInSandbox(ci, image);
  const app = options.app ?? (ci === 'github' && cluster.kind !== 'sandbox' ? await askApp(terminal) : undefined);
  return {
    ci,
    ...server,
    ...(app === undefined ? {} : { app }),
    cluster,
    namespace,
    labels,
    ...(image === undefined ? {} : { image }),
  };
}

/** Asks for the id of GitHub's App. Without a person, a token is the default. */
async function askApp(terminal: Terminal): Promise<number | undefined> {
  if (!terminal.isInteractive) return undefined;
  const text = "The id of GitHub's App, which `davit github-app` makes? (Enter: a token, or an App later)";
  const answer = await ask(terminal, { text, option: '--app' });
  return answer === '' ? undefined : readAppId(answer);
}

/** Reads the id of a GitHub App. @throws CliError `app-invalid` */
export function readAppId(text: string): number {
  if (/^[1-9]\d{0,11}$/.test(text)) return Number(text);
  throw new CliError('usage', 'app-invalid', `--app: expected the number that GitHub shows as App ID, found ${text}`);
}

function refuseUnused(ci: CiProvider, { ciUrl, ciUser, app }: FirstOptions): void {
  const unused = [
    ...(app !== undefined && ci !== 'github' ? ['--app'] : []),
    ...(ciUrl !== undefined && ci === 'standard' ? ['--ci-url'] : []),
    ...(ciUser !== undefined && ci !== 'jenkins' ? ['--ci-user'] : []),
  ];
  if (unused.length > 0) throw new CliError('usage', 'option-unused', `--ci ${ci} has no ${unused.join(' and no ')}`);
}

/** Asks where the CI system is, and as whom davit acts there. Leaves out the slash at the URL's end. */
async function serverOf(
  terminal: Terminal,
  ci: CiProvider,
  options: FirstOptions,
): Promise<Pick<FirstConfig, 'ciUrl' | 'ciUser'>> {
  const needsUrl = ci === 'gitea' || ci === 'jenkins';
  const urlQuestion = { text: `The URL of ${ci}?`, option: '--ci-url' };
  const userQuestion = { text: "davit's user?", option: '--ci-user', enter: 'davit' };
  const ciUrl = options.ciUrl ?? (needsUrl ? await ask(terminal, urlQuestion) : undefined);
  const ciUser = options.ciUser ?? (ci === 'jenkins' ? await ask(terminal, userQuestion) : undefined);
  return {
    ...(ciUrl === undefined ? {} : { ciUrl: ciUrl.replace(/\/+$/, '') }),
    ...(ciUser === undefined ? {} : { ciUser }),
  };
}

/** Asks for the labels only where it asks for the CI system, too: a command with options never stops for a default. */
async function labelsOf(terminal: Terminal, ci: CiProvider, options: FirstOptions): Promise<string[]> {
  const enter = defaultLabels(ci);
  const question = { text: 'The labels of its jobs?', option: '--labels', enter };
  const list = options.labels ?? (options.ci === undefined ? await ask(terminal, question) : enter);
  return list
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
}

/** The sandbox would wait for an image that it cannot pull. */
function imageInSandbox(ci: CiProvider, image: string): CliError {
  const program = ci === 'standard' ? undefined : presets[ci].program;
  const own = program ?? 'the reference agent';
  const message = `--image ${image}: the sandbox has no images, its agents run ${own} on this machine`;
  return new CliError(
    'usage',
    'image-in-sandbox',
    message,
    'Leave --image out, or name a cluster by --context or --eks.',
  );
}

async function clusterOf(terminal: Terminal, { eks, region, context, sandbox }: FirstOptions): Promise<FirstCluster> {
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
    const advice = 'Correct KUBECONFIG, or name a cluster: --eks, --sandbox.';
    throw new CliError('usage', 'kubeconfig-invalid', message, advice, error);
  }
  const current = config.getCurrentContext();
  return config
    .getContexts()
    .map(({ name }) => name)
    .filter((name) => name !== 'loaded-context')
    .toSorted((one, other) => Number(other === current) - Number(one === current));
}

/** Lets the person choose, by number or by name. Enter takes the first. */
async function choose(
  terminal: Terminal,
  question: string,
  choices: readonly string[],
  option: string,
): Promise<string> {
  for (const [index, choice] of choices.entries())
    if (terminal.isInteractive) terminal.note(`  ${index + 1}  ${choice}`);
  const answer = await ask(terminal, { text: `${question} (1 to ${choices.length})`, option, enter: '1' });
  const chosen = choices[Number(answer) - 1] ?? choices.find((choice) => choice === answer);
  if (chosen !== undefined) return chosen;
  throw new CliError('usage', 'no-choice', `expected 1 to ${choices.length}, found ${answer}`);
}
