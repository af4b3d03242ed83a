import { type EntryOption, entryOptions, firstEntries } from '../../ci/first-entries.ts';
import { presets } from '../../core/agent/runner-preset.ts';
import { CiProvider } from '../../core/ci/ci-system-config.ts';
import { present } from '../../core/present.ts';
import { ask, choose } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { type ClusterOptions, chooseCluster } from './choose-cluster.ts';
import type { FirstConfig } from './make-config.ts';
import { optionText } from './option-problems.ts';

/** The options of `davit init` that say what is in a first davit.yaml. */
export interface FirstOptions extends ClusterOptions, Partial<Record<EntryOption, string>> {
  ci?: CiProvider;
  /** The id of GitHub's App. */
  app?: number;
  namespace: string;
  /** Separated by commas. */
  labels?: string;
  image?: string;
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
  const entry = await entryOf(terminal, ci, options);
  const labels = await labelsOf(terminal, ci, options);
  const cluster = await chooseCluster(terminal, options);
  const app = options.app ?? (ci === 'github' && cluster.kind !== 'sandbox' ? await askApp(terminal) : undefined);
  const { namespace, image } = options;
  if (image !== undefined && cluster.kind === 'sandbox') throw imageInSandbox(ci, image);
  return { ci, entry, cluster, namespace, labels, ...present({ app, image }) };
}

function refuseUnused(ci: CiProvider, options: FirstOptions): void {
  const { keys } = firstEntries[ci];
  const unused = [
    ...entryOptions.filter((option) => options[option] !== undefined && !(option in keys)).map(optionText),
    ...(options.app !== undefined && ci !== 'github' ? ['--app'] : []),
  ];
  if (unused.length > 0) throw new CliError('usage', 'option-unused', `--ci ${ci} has no ${unused.join(' and no ')}`);
}

/** Asks for what the entry of the CI system needs. Leaves out slashes at a URL's end. */
async function entryOf(terminal: Terminal, ci: CiProvider, options: FirstOptions): Promise<Record<string, string>> {
  const { keys } = firstEntries[ci];
  const entry: Record<string, string> = {};
  for (const option of entryOptions) {
    const { key, question: text, enter } = keys[option] ?? {};
    if (key === undefined) continue;
    const question = text === undefined ? undefined : { text, option: optionText(option), ...present({ enter }) };
    const value = options[option] ?? (question && (await ask(terminal, question)));
    if (value !== undefined) entry[key] = option === 'ciUrl' ? value.replace(/\/+$/, '') : value;
  }
  return entry;
}

/** Asks for the labels only where it asks for the CI system, too: a command with options never stops for a default. */
async function labelsOf(terminal: Terminal, ci: CiProvider, options: FirstOptions): Promise<string[]> {
  const enter = firstEntries[ci].labels;
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
  const advice = 'Leave --image out, or name a cluster by --context or --eks.';
  return new CliError('usage', 'image-in-sandbox', message, advice);
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
