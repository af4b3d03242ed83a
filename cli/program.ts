import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { davitVersion } from '../core/version.ts';
import { addAcceptanceCommand } from './commands/acceptance-command.ts';
import { addAgentCommands } from './commands/agent-commands.ts';
import { addClusterCommand } from './commands/cluster-command.ts';
import { addConformanceCommand } from './commands/conformance-command.ts';
import { addConsoleCommand } from './commands/console-command.ts';
import { addDeployCommands } from './commands/deploy-commands.ts';
import { addDoctorCommand } from './commands/doctor-command.ts';
import { addEventCommand } from './commands/event-command.ts';
import { addInitCommand } from './commands/init-command.ts';
import { addJobCommands } from './commands/job-commands.ts';
import { addLaunchCommands } from './commands/launch-commands.ts';
import { addProgramCommands } from './commands/program-commands.ts';
import { addReconcileCommand } from './commands/reconcile-command.ts';
import { addScaleSetCommand } from './commands/scale-set-command.ts';
import { addSweepCommand } from './commands/sweep-command.ts';
import { addTraceCommands } from './commands/trace-commands.ts';
import { addVerifyJobsCommand } from './commands/verify-jobs-command.ts';
import { addWebhookCommand } from './commands/webhook-command.ts';
import type { Terminal } from './terminal.ts';

/** Makes the command `davit` with all of its subcommands. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('davit')
    .description('Launches CI build agents into Kubernetes, on this machine and on AWS.')
    .version(davitVersion, '-V, --version')
    .showHelpAfterError('(add --help for the commands and options)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.line(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    });
  addProgramCommands(program);
  addInitCommand(program, terminal);
  addDeployCommands(program, terminal);
  addWebhookCommand(program, terminal);
  addScaleSetCommand(program, terminal);
  addDoctorCommand(program, terminal);
  addConformanceCommand(program, terminal);
  addAcceptanceCommand(program, terminal);
  addLaunchCommands(program, terminal);
  addAgentCommands(program, terminal);
  addJobCommands(program, terminal);
  addClusterCommand(program, terminal);
  addConsoleCommand(program, terminal);
  addEventCommand(program, terminal);
  addSweepCommand(program, terminal);
  addReconcileCommand(program, terminal);
  addTraceCommands(program, terminal);
  addVerifyJobsCommand(program, terminal);
  tab(program);
  return program;
}
