import type { Command, Option } from 'commander';
import { exitCodes } from './exit-codes.ts';

/**
 * Writes the reference of the command line from the commands themselves.
 *
 * @param program as `createProgram` makes it
 * @param helps the texts that `--help` prints of the commands with a command line of their own, by the command's name
 */
export function cliDocs(program: Command, helps: ReadonlyMap<string, string>): string {
  const commands = program.commands.filter((command) => !['complete', 'help'].includes(command.name()));
  return [
    intro,
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
    '',
  ].join('\n');
}

const intro = `<!-- \`npm run docs\` writes this file from the commands in cli/. -->

# The command line

\`davit\` is one command for this machine and for AWS. In a checkout it is \`npx node cli/davit.ts\`, with the Node.js that the packages
bring. [releasing.md](releasing.md) describes the package that installs it as \`davit\`. The package is not published yet.

**Choosing a davit.** A command calls the local davit whose state directory is \`.davit\`, or \`--state DIR\`; the one at \`--url URL\`
with \`--token TOKEN\`; or a deployed one, by \`--stack NAME\`: the command reads the stack's outputs and signs its requests with the
AWS SDK's own chain of credentials. \`DAVIT_URL\`, \`DAVIT_TOKEN\` and \`DAVIT_STACK\` are the same as options. Options, with
\`--state\`, win over them.

**For programs.** \`-o json\` writes the API's answer to standard output. Errors, advice and progress go to standard error. The
output has no colours if \`NO_COLOR\` is set or the output is no terminal. Every error has a stable code: a problem's name
([api.md](api.md)), or an error code ([errors.md](errors.md)).

**Completions.** \`source <(davit complete zsh)\`. \`bash\`, \`fish\` and \`powershell\` work in the same way.
`;

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
