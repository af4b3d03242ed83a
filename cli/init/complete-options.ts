import { presets } from '../../core/agent/runner-preset.ts';
import { CiProvider } from '../../core/ci/ci-system-config.ts';
import { ask, choose } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { type ClusterOptions, chooseCluster } from './choose-cluster.ts';
import type { FirstConfig } from './make-config.ts';

/** The options of `davit init` that say what is in a first davit.yaml. */
export interface FirstOptions extends ClusterOptions {
  ci?: CiProvider;
  ciUser?: string;
  ciOrganization?: string;
  ciScope?: string;
  ciUrl?: string;
  /** The id of GitHub's App. */
  app?: number;
  namespace: string;
  /** Separated by commas. */
  labels?: string;
  image?: string;
}

/**
 * The labels of a first profile, as in `--labels`. Jenkins and GitLab have none that their agents share; Buildkite's have
 * their queue, and Forgejo's documents use docker.
 */
export function defaultLabels(ci: CiProvider): string {
  if (ci === 'buildkite') return 'queue=default';
  if (ci === 'forgejo') return 'docker';
  return ci === 'jenkins' || ci === 'gitlab' ? 'linux' : 'self-hosted,linux,x64';
}

/**
 * Asks for the values that the options lack.
 *
 * @throws CliError `option-missing` when there is no person to ask, `option-unused`, `image-in-sandbox`, `app-invalid`
 *   and those of `chooseCluster`
 */
export async function completeOptions(terminal: Terminal, options: FirstOptions): Promise<FirstConfig> {
  const ci =
    options.ci ??
    CiProvider.parse(await choose(terminal, { text: 'Which CI system?', option: '--ci' }, CiProvider.options));
  refuseUnused(ci, options);
  const server = await serverOf(terminal, ci, options);
  const labels = await labelsOf(terminal, ci, options);
  const cluster = await chooseCluster(terminal, options);
  const app = options.app ?? (ci === 'github' && cluster.kind !== 'sandbox' ? await askApp(terminal) : undefined);
  const { namespace, image } = options;
  if (image !== undefined && cluster.kind === 'sandbox') throw imageInSandbox(ci, image);
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

function refuseUnused(ci: CiProvider, { ciUrl, ciUser, ciOrganization, ciScope, app }: FirstOptions): void {
  const unused = [
    ...(ciUrl !== undefined && ci === 'standard' ? ['--ci-url'] : []),
    ...(ciUser !== undefined && ci !== 'jenkins' ? ['--ci-user'] : []),
    ...(ciOrganization !== undefined && ci !== 'buildkite' && ci !== 'gitlab' ? ['--ci-organization'] : []),
    ...(ciScope !== undefined && ci !== 'forgejo' ? ['--ci-scope'] : []),
    ...(app !== undefined && ci !== 'github' ? ['--app'] : []),
  ];
  if (unused.length > 0) throw new CliError('usage', 'option-unused', `--ci ${ci} has no ${unused.join(' and no ')}`);
}

/** Asks where the CI system is, and as whom davit acts there. Leaves out the slash at the URL's end. */
async function serverOf(
  terminal: Terminal,
  ci: CiProvider,
  options: FirstOptions,
): Promise<Pick<FirstConfig, 'ciUrl' | 'ciUser' | 'ciOrganization' | 'ciScope'>> {
  const needsUrl = ci === 'gitea' || ci === 'jenkins' || ci === 'forgejo';
  const urlQuestion = { text: `The URL of ${ci}?`, option: '--ci-url' };
  const userQuestion = { text: "davit's user?", option: '--ci-user', enter: 'davit' };
  const ciUrl = options.ciUrl ?? (needsUrl ? await ask(terminal, urlQuestion) : undefined);
  const ciUser = options.ciUser ?? (ci === 'jenkins' ? await ask(terminal, userQuestion) : undefined);
  const slugQuestion = { text: "The slug of Buildkite's organization?", option: '--ci-organization' };
  const groupQuestion = { text: "The path of GitLab's group?", option: '--ci-organization' };
  const question = ci === 'buildkite' ? slugQuestion : ci === 'gitlab' ? groupQuestion : undefined;
  const ciOrganization = options.ciOrganization ?? (question && (await ask(terminal, question)));
  const scopeText = 'Whose jobs? (admin, user, orgs/NAME or repos/OWNER/NAME)';
  const scopeQuestion = { text: scopeText, option: '--ci-scope' };
  const ciScope = options.ciScope ?? (ci === 'forgejo' ? await ask(terminal, scopeQuestion) : undefined);
  return {
    ...(ciScope === undefined ? {} : { ciScope }),
    ...(ciOrganization === undefined ? {} : { ciOrganization }),
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

/** Only a person is asked: without one, the token is the default. */
async function askApp(terminal: Terminal): Promise<number | undefined> {
  if (!terminal.isInteractive) return undefined;
  const text = "The id of GitHub's App, which `davit github-app` makes? (Enter: a token, or an App later)";
  const answer = await ask(terminal, { text, option: '--app' });
  return answer === '' ? undefined : appId(answer);
}

/** Reads the value of `--app`. @throws CliError `app-invalid` */
export function appId(text: string): number {
  if (/^[1-9]\d{0,11}$/.test(text)) return Number(text);
  throw new CliError('usage', 'app-invalid', `--app: expected the number that GitHub shows as App ID, found ${text}`);
}
