import type { Command, Option } from 'commander';
import { exitCodes } from './exit-codes.ts';

/**
 * Writes the sections about the commands and the exit codes, from the commands themselves.
 *
 * @param program as `createProgram` makes it
 * @param helps the texts that `--help` prints of the commands with a command line of their own, by the command's name
 */
export function cliSections(program: Command, helps: ReadonlyMap<string, string>): string {
  const commands = program.commands.filter((command) => !['complete', 'help'].includes(command.name()));
  return [
    '## Commands',
    '| command | does |\n|---|---|',
    ...commands.map(
      (command) => `| [\`davit ${command.name()}\`](#davit-${command.name()}) | ${command.description()} |`,
    ),
    ...commands.flatMap((command) => sectionOf(command, helps.get(command.name()))),
    '',
    '## Exit codes',
    '',
    '| code | means |\n|---|---|',
    ...Object.values(exitCodes).map(({ code, means }) => `| ${code} | ${means} |`),
  ].join('\n');
}

function sectionOf(command: Command, help: string | undefined): string[] {
  const options = command.options.filter(({ long }) => long !== '--help');
  const usage = `davit ${command.name()} ${command.usage()}`.trim();
  const examples = /Examples:\n([^]*)$/.exec(helpOf(command))?.[1];
  return [
    '',
    `### davit ${command.name()}`,
    '',
    `\`${usage}\`: ${command.description()}.`,
    ...(options.length === 0 ? [] : ['', '| option | is |\n|---|---|', ...options.map(optionRow)]),
    ...(help === undefined
      ? []
      : ['', '```text', help.replace(/^npm run [\w-]+ --/, `davit ${command.name()}`), '```']),
    ...(examples === undefined
      ? []
      : [
          '',
          '```sh',
          ...examples
            .trimEnd()
            .split('\n')
            .map((line) => line.replace(/^ {2}\$ /, '')),
          '```',
        ]),
  ];
}

function optionRow({ flags, description, defaultValue, defaultValueDescription }: Option): string {
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  const fallback = isShown ? ` (default: ${defaultValueDescription ?? defaultValue})` : '';
  return `| \`${flags.replaceAll('|', '\\|')}\` | ${description.replaceAll('|', '\\|')}${fallback} |`;
}

/** Returns the help with the text after it, which commander only writes. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}
