import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RepositoryName } from '../../core/ci/ci-scope.ts';
import type { AcceptanceOptions } from '../acceptance/prepare.ts';
import { allScenarios } from '../acceptance/scenarios/all-scenarios.ts';
import type { Terminal } from '../terminal.ts';
import { collect, duration, pairs, withConnectionOptions, withExamples } from './command-options.ts';

const scenarios = `
Scenarios:
${allScenarios.map(({ name, does }) => `  ${name.padEnd(16)}${does}`).join('\n')}

lost-webhook turns the repository's own webhook off for up to a minute, and may take some minutes.

It runs on GitHub, Gitea and Jenkins. In Jenkins it makes freestyle jobs davit-acceptance-RANDOM-…, and removes them.

The report has versions, figures and verdicts, and no name, URL, label or secret: it is made to be published.`;

/** Adds `davit acceptance`. */
export function addAcceptanceCommand(program: Command, terminal: Terminal): void {
  const command = withConnectionOptions(
    program
      .command('acceptance')
      .description(
        'try davit with real jobs, in a repository of your own on GitHub or Gitea, or in a Jenkins, and write a report to ' +
          'publish; the exit code is 1 if something does not hold',
      )
      .requiredOption('--ci-system <name>', 'the CI system in davit.yaml'),
  )
    .option('--repository <owner/name>', 'the repository for the jobs; it needs a first commit', repositoryName)
    .option('--folder <path>', "Jenkins' folder for the jobs, that is there (default: the top)", folderPath)
    .option(
      '--label <label>',
      'what the jobs ask for; may be given several times (default: the labels of the first profile that takes them)',
      collect,
    )
    .option('--scenario <name>', 'run only this scenario; may be given several times', collect)
    .addOption(new Option('--burst <n>', 'how many jobs a burst has').argParser(burstSize).default(20))
    .option('--report <file>', 'write the report to this file (default: standard output)')
    .addOption(
      new Option('--timeout <duration>', 'how long all of it may take').argParser(duration).default(1_800_000, '30m'),
    )
    .option('--config <file>', 'the davit.yaml with the CI system', 'davit.yaml')
    .option('--kubeconfig <file>', "the caller's way into the agents' cluster, for pod-deleted")
    .option('--context <name>', 'the context of the kubeconfig, if not the current one')
    .option('--namespace <name>', "the agents' namespace, for pod-deleted")
    .option('--secret <name=file>', 'read this file in place of the secret; may be given several times', pairs, {})
    .option('--ci-token <file>', "a token of yours that may start jobs (default: davit's own credential)")
    .option('--ci-user <name>', "the user of Jenkins to whom that token belongs (default: davit's own)")
    .option(
      '--public-url <url>',
      "the URL at which the CI system reaches davit, for lost-webhook (default: davit's own)",
    )
    .option('--yes', 'start the jobs without asking')
    .addHelpText('after', scenarios)
    .action(async (options: AcceptanceOptions) => {
      // Loads it only here, because the AWS SDK takes longer to load than the rest of the command.
      const { runAcceptance } = await import('../acceptance/run-acceptance.ts');
      await runAcceptance(options, terminal);
    });
  withExamples(
    command,
    'davit acceptance --repository acme/davit-acceptance --ci-system github --ci-token token',
    'davit acceptance --repository acme/davit-acceptance --ci-system gitea --stack Davit --report report.md',
    'davit acceptance --repository acme/davit-acceptance --ci-system gitea --scenario burst --burst 100 --yes',
    'davit acceptance --ci-system jenkins --folder team/acceptance --ci-user alice --ci-token token',
  );
}

function repositoryName(text: string): RepositoryName {
  const [, owner, name] = /^([\w.-]+)\/([\w.-]+)$/.exec(text) ?? [];
  if (owner === undefined || name === undefined)
    throw new InvalidArgumentError('Expected OWNER/NAME, such as acme/app.');
  return { owner, name };
}

function folderPath(text: string): string {
  if (!/^[^/?#]+(\/[^/?#]+)*$/.test(text)) throw new InvalidArgumentError('Expected a path, such as team/acceptance.');
  return text;
}

/** GitHub's most for one matrix. */
const mostJobs = 256;

function burstSize(text: string): number {
  const jobs = Number(text);
  if (!/^\d{1,3}$/.test(text) || jobs < 1 || jobs > mostJobs)
    throw new InvalidArgumentError(`Expected a number from 1 to ${mostJobs}.`);
  return jobs;
}
