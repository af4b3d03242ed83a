import type { Command } from 'commander';
import type { AgentOptions } from '../agent/agent-pod.ts';
import { CliError } from '../cli-error.ts';
import { type Terminal, untilInterrupted, withProgress } from '../terminal.ts';
import { isHeld } from '../view/phases.ts';
import type { Launch } from '../view/timeline.ts';
import { openApi, wholeNumber, withConnectionOptions, withExamples } from './command-options.ts';
import { resolveLaunch } from './resolve-launch.ts';

interface LogOptions extends AgentOptions {
  follow?: true;
  tail?: number;
}

interface ExecOptions extends AgentOptions {
  stdin?: true;
}

/** Adds `davit logs` and `davit exec`: they use the caller's own kubeconfig. */
export function addAgentCommands(program: Command, terminal: Terminal): void {
  withExamples(
    withAgentOptions(program.command('logs <launch>').description("show the log of a launch's agent"))
      .option('-f, --follow', 'show each new line, until the agent ends')
      .option('--tail <n>', 'the last lines only', wholeNumber)
      .action((text: string, options: LogOptions) => logs(terminal, text, options)),
    'davit logs gitea-7-8-1 --follow',
    'davit logs gitea-7-8-1 --stack Davit --context builds',
  );
  withExamples(
    withAgentOptions(
      program
        .command('exec <launch> [command...]')
        .description(
          "open a shell in a launch's agent, or run a command there, where the caller's kubeconfig allows it",
        ),
    )
      .option('-i, --stdin', 'send standard input to the command, too (a shell always gets it)')
      .action((text: string, command: string[], options: ExecOptions) => exec(terminal, text, command, options)),
    'davit exec gitea-7-8-1',
    'davit exec gitea-7-8-1 -- df -h',
  );
}

function withAgentOptions(command: Command): Command {
  return withConnectionOptions(command)
    .option('--kubeconfig <file>', "the caller's way into the cluster (default: the local davit's, or KUBECONFIG)")
    .option('--context <name>', "the kubeconfig's context for the launch's cluster (default: the current one)")
    .option('-c, --container <name>', "the container (default: the agent's)");
}

async function logs(terminal: Terminal, text: string, options: LogOptions): Promise<void> {
  const launch = await find(terminal, text, options);
  if (launch.diagnostics?.log !== undefined && !isHeld(launch))
    return tellKept(terminal, launch.diagnostics.log, options);
  // Loads them only here, because Kubernetes' client takes half a second to load.
  const [{ findAgent }, { readLog }] = await Promise.all([
    import('../agent/agent-pod.ts'),
    import('../agent/read-log.ts'),
  ]);
  const agent = await withProgress(terminal, `looking for ${launch.agentName}`, findAgent(launch, options, terminal));
  const asked = { follow: options.follow === true, ...(options.tail === undefined ? {} : { tail: options.tail }) };
  let rest = '';
  const write = (piece: string) => {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) terminal.line(line);
  };
  await untilInterrupted(terminal, readLog(agent, launch.launchId, asked, write, terminal.signal));
  if (rest !== '') terminal.line(rest);
}

/** The Pod of a launch that failed is gone. davit has kept the end of its log. */
function tellKept(
  terminal: Terminal,
  { container, text }: { container: string; text: string },
  { tail = Infinity }: LogOptions,
): void {
  terminal.note(terminal.style('faint', `The Pod is gone. The end of the log of ${container}, which davit has kept:`));
  for (const line of text.trimEnd().split('\n').slice(-tail)) terminal.line(line);
}

async function exec(terminal: Terminal, text: string, command: string[], options: ExecOptions): Promise<void> {
  const launch = await find(terminal, text, options);
  const [{ findAgent }, { runInAgent }] = await Promise.all([
    import('../agent/agent-pod.ts'),
    import('../agent/run-in-agent.ts'),
  ]);
  const agent = await withProgress(terminal, `looking for ${launch.agentName}`, findAgent(launch, options, terminal));
  const { stdin, stdout, stderr } = process;
  const hasInput = options.stdin === true || command.length === 0;
  const isTerminal = hasInput && stdin.isTTY && stdout.isTTY;
  const run = command.length > 0 ? command : ['sh', '-c', 'command -v bash >/dev/null && exec bash || exec sh'];
  const streams = { stdin: hasInput ? stdin : null, stdout, stderr, isTerminal };
  const exitCode = await untilInterrupted(terminal, runInAgent(agent, run, streams));
  if (exitCode !== 0) throw new CliError('failed', 'command-failed', `the command ended with exit code ${exitCode}`);
}

async function find(terminal: Terminal, text: string, options: AgentOptions): Promise<Launch> {
  const api = await openApi(options, terminal);
  return withProgress(terminal, `reading ${text}`, resolveLaunch(api, text));
}
