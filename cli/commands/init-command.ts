import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Command, Option } from 'commander';
import { type EntryOption, firstEntries, providersWith } from '../../ci/first-entries.ts';
import { CiProvider } from '../../core/ci/ci-system-config.ts';
import { configJsonSchema } from '../../core/config/config-json-schema.ts';
import { CliError } from '../cli-error.ts';
import { appId, completeOptions, type FirstOptions } from '../init/complete-options.ts';
import { makeConfig, nextSteps, schemaFile } from '../init/make-config.ts';
import { inOptions } from '../init/option-problems.ts';
import type { Terminal } from '../terminal.ts';
import { withExamples } from './command-options.ts';

interface InitOptions extends FirstOptions {
  config: string;
}

/** The default labels of each kind of CI system, as `linux (jenkins, gitlab)`. */
const labels = [...Map.groupBy(CiProvider.options, (ci) => firstEntries[ci].labels)]
  .map(([list, of]) => `${list} (${of.join(', ')})`)
  .join('; ');
const of = (option: EntryOption) => providersWith(option).join(', ');

/** Adds `davit init`. */
export function addInitCommand(program: Command, terminal: Terminal): void {
  withExamples(
    program
      .command('init')
      .description('write a first davit.yaml; asks for what the options do not say, and never overwrites')
      .addOption(new Option('--ci <provider>', 'the CI system').choices(CiProvider.options))
      .option('--ci-url <url>', `the CI system's URL (${of('ciUrl')})`)
      .option('--ci-user <id>', `the user that davit acts as (${of('ciUser')})`)
      .option(
        '--ci-organization <name>',
        `the slug of the organization, or the path of the group (${of('ciOrganization')})`,
      )
      .option('--ci-scope <scope>', `whose jobs: admin, user, orgs/NAME or repos/OWNER/NAME (${of('ciScope')})`)
      .option('--app <id>', "the id of GitHub's App, as davit github-app prints it (default: a token)", appId)
      .option('--context <name>', 'a cluster: a context of the kubeconfig')
      .option('--eks <cluster>', 'a cluster: the name of an EKS cluster')
      .option('--region <region>', "the EKS cluster's AWS region")
      .option('--sandbox', "a cluster: the local runtime's own, whose Pods are local processes")
      .option('--namespace <name>', 'where the agents run', 'davit-agents')
      .option('--labels <list>', `the labels of jobs that get an agent (default: ${labels})`)
      .option('--image <image>', "the agent's image, in a real cluster (default: the CI system's own runner)")
      .option('--config <file>', 'the file to write', 'davit.yaml')
      .action((options: InitOptions) => init(terminal, options)),
    'davit init',
    'davit init --ci gitea --ci-url https://gitea.example.com --context builds',
    'davit init --ci github --app 123456 --eks builds --region eu-central-1',
    'davit init --ci jenkins --ci-url https://jenkins.example.com --ci-user davit --context builds',
    'davit init --ci jenkins --ci-url https://jenkins.example.com --ci-user davit --sandbox --labels linux',
    'davit init --ci buildkite --ci-organization acme --context builds',
    'davit init --ci forgejo --ci-url https://forgejo.example.com --ci-scope orgs/acme --context builds',
    'davit init --ci gitlab --ci-url https://gitlab.example.com --ci-organization acme --context builds',
    'davit init --ci standard --sandbox',
  );
}

async function init(terminal: Terminal, options: InitOptions): Promise<void> {
  const first = await completeOptions(terminal, options);
  const text = inOptions(() => makeConfig(first));
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
