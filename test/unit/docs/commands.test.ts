import { githubAppHelp } from '../../../cli/github-app/arguments.ts';
import { createProgram } from '../../../cli/program.ts';
import { rbacHelp } from '../../../cli/rbac/arguments.ts';
import { processTerminal } from '../../../cli/terminal.ts';
import { demoHelp } from '../../../local/demo/arguments.ts';
import { runtimeHelp } from '../../../local/runtime/arguments.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { proofs } from '../../../scripts/proofs.ts';
import { blocksOf } from '../../support/shell-blocks.ts';
import { presentDocuments, read } from './documents.ts';

const longOption = /(?<=[\s`[])--[a-z][\w-]*/g;

const { commands } = createProgram(processTerminal(new AbortController().signal));
const ownHelps: Readonly<Record<string, string>> = {
  demo: demoHelp,
  local: runtimeHelp,
  rbac: rbacHelp,
  'github-app': githubAppHelp,
};
const optionsOf = new Map(
  commands.map((command) => {
    const help = ownHelps[command.name()];
    const own = help === undefined ? command.options.map(({ long }) => long ?? '') : (help.match(longOption) ?? []);
    return [command.name(), new Set([...own, '--help'])];
  }),
);

/** The code of a document: its blocks, with continued lines as one, and its words between backticks. */
function codeOf(markdown: string): string[] {
  const blocks = blocksOf(markdown, 'sh').flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'));
  const words = [...markdown.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/(?<!`)`([^`]+)`/g)];
  return [...blocks, ...words.map(([, text = '']) => text.replaceAll(/\s+/g, ' '))];
}

/** The calls of a program in a line of a shell, each up to the end of its command. */
function callsOf(line: string, program: string): { name: string; options: string[] }[] {
  const calls = line.matchAll(new RegExp(`(?:^|[|;&(]|-- )\\s*${program} ([a-z][\\w:-]*)([^|;&]*)`, 'g'));
  return [...calls].map(([, name = '', rest = '']) => ({ name, options: rest.match(longOption) ?? [] }));
}

describe.each(presentDocuments.filter((name) => name !== 'CHANGELOG.md'))('%s', (name) => {
  const code = codeOf(read(name));

  test('calls davit by commands and options that it has', () => {
    const calls = code.flatMap((line) => [...callsOf(line, 'davit'), ...callsOf(line, 'npx node cli/davit.ts')]);

    const unknown = calls.filter(({ name: command, options }) => {
      const known = optionsOf.get(command);
      return known === undefined || options.some((option) => !known.has(option));
    });

    expect(unknown).toEqual([]);
  });

  test('runs scripts and proofs of the package', () => {
    const scripts = code.flatMap((line) => callsOf(line, 'npm run').map((call) => call.name));
    const proved = code.flatMap((line) => callsOf(line, 'npm run prove --').map((call) => call.name));

    expect(scripts.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([]);
    expect(proved.filter((proof) => !Object.hasOwn(proofs, proof))).toEqual([]);
  });
});
