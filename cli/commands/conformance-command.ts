import { type Command, Option } from 'commander';
import { printable } from '../../core/printable.ts';
import { readPlaces } from '../api/connection.ts';
import { CliError } from '../cli-error.ts';
import type { CheckResult, Verdict } from '../conformance/check.ts';
import type { TestedPlace } from '../conformance/tested-cluster.ts';
import type { LeftBehind } from '../conformance/throwaways.ts';
import { type Style, type Terminal, untilInterrupted, untilRemoved } from '../terminal.ts';
import { duration, type Output, withExamples, withOutput } from './command-options.ts';

/** The options of the command. */
export interface ConformanceOptions extends Omit<TestedPlace, 'kubeconfig' | 'waitMs'> {
  kubeconfig?: string;
  /** The state directory of a local davit, whose kubeconfig is the default. */
  state: string;
  /** How long a check waits for the cluster, in milliseconds. */
  wait: number;
  output: Output;
}

const marks: Readonly<Record<Verdict, readonly [string, Style]>> = {
  held: ['held       ', 'good'],
  'not-held': ['not held   ', 'bad'],
  'not-checked': ['not checked', 'faint'],
};

const indent = ' '.repeat(13);

/** Adds `davit conformance`. */
export function addConformanceCommand(program: Command, terminal: Terminal): void {
  withExamples(
    withOutput(
      program
        .command('conformance')
        .description(
          'check on a cluster what davit relies on, with objects that it removes again; the exit code is 1 if something ' +
            'does not hold',
        ),
    )
      .requiredOption('--namespace <name>', "an existing namespace for the checks' Pods and Services")
      .option('--kubeconfig <file>', "the caller's way into the cluster (default: the local davit's, or KUBECONFIG)")
      .option('--context <name>', 'the context of the kubeconfig, if not the current one')
      .option('--state <dir>', 'the state directory of a local davit', '.davit')
      .option(
        '--image <image>',
        'the image of the Pods that a node gets; it need not start',
        'registry.k8s.io/pause:3.10',
      )
      .addOption(
        new Option('--wait <duration>', 'how long a check waits for the cluster at most')
          .argParser(duration)
          .default(60_000, '60s'),
      )
      .action((options: ConformanceOptions) => conformance(terminal, options)),
    'davit conformance --namespace davit-agents',
    'davit conformance --kubeconfig ~/.kube/config --context builds --namespace scratch',
    'davit conformance --namespace scratch -o json | jq \'.checks[] | select(.verdict != "held")\'',
  );
}

/**
 * Runs the checks and writes their results.
 *
 * @throws CliError when davit relies on something that does not hold there, when the cluster cannot be reached, and on
 *   Ctrl-C, after the removal of what the checks have made
 */
export async function conformance(terminal: Terminal, options: ConformanceOptions): Promise<void> {
  const kubeconfig = await kubeconfigOf(options, terminal);
  // Loads these only here, because Kubernetes' client takes half a second to load.
  const [{ openTestedCluster }, { reachCluster }, { runChecks }, { allChecks }] = await Promise.all([
    import('../conformance/tested-cluster.ts'),
    import('../conformance/reach-cluster.ts'),
    import('../conformance/run-checks.ts'),
    import('../conformance/all-checks.ts'),
  ]);
  const cluster = openTestedCluster({ ...options, kubeconfig, waitMs: options.wait });
  const version = await untilInterrupted(terminal, reachCluster(cluster));
  const results: CheckResult[] = [];
  const onLeft = (left: LeftBehind) => terminal.note(leftWords(left, options.namespace));
  const run = { version, signal: terminal.signal, onLeft };
  const all = async () => {
    for await (const result of runChecks(cluster, allChecks, run)) {
      results.push(result);
      if (options.output === 'table') for (const line of resultLines(terminal, result)) terminal.line(line);
    }
  };
  await untilRemoved(terminal, all(), "the checks' objects");
  if (options.output === 'json') terminal.line(JSON.stringify({ version, checks: results }, undefined, 2));
  const broken = results.filter(({ verdict }) => verdict === 'not-held').map(({ name }) => name);
  if (broken.length > 0) throw new CliError('failed', 'not-held', `the cluster does not hold: ${broken.join(', ')}`);
}

async function kubeconfigOf({ kubeconfig, state }: ConformanceOptions, { env }: Terminal): Promise<string> {
  const path = kubeconfig ?? (await localKubeconfig(state)) ?? env['KUBECONFIG'];
  if (path !== undefined && path !== '') return path;
  const message = 'no cluster is named: --kubeconfig FILE, or KUBECONFIG, names one';
  throw new CliError('usage', 'kubeconfig-missing', message, 'A local davit that runs here names its own.');
}

async function localKubeconfig(state: string): Promise<string | undefined> {
  try {
    return (await readPlaces(state)).kubeconfigPath;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function resultLines(terminal: Terminal, { name, reliesOn, verdict, found, thenDavit }: CheckResult): string[] {
  const [mark, style] = marks[verdict];
  return [
    `${terminal.style(style, mark)}  ${name}: ${reliesOn}`,
    `${indent}${printable(found)}`,
    ...(verdict === 'not-held' ? [`${indent}${terminal.style('strong', '→')} then davit ${thenDavit}`] : []),
  ];
}

function leftWords({ kind, name, words }: LeftBehind, namespace: string): string {
  return printable(`left behind: ${kind}/${name}: ${words}; kubectl -n ${namespace} delete ${kind} ${name}`);
}
