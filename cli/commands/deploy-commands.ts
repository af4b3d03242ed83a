import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { DeployOptions } from '../deploy/run-deploy.ts';
import type { DestroyOptions } from '../deploy/run-destroy.ts';
import type { Terminal } from '../terminal.ts';
import { collect, pairs, withExamples } from './command-options.ts';
import { doctor } from './doctor-command.ts';

/** Adds `davit deploy`, `davit diff` and `davit destroy`. */
export function addDeployCommands(program: Command, terminal: Terminal): void {
  withExamples(
    withTemplateOptions(
      withStackOptions(
        program.command('deploy').description('deploy davit to AWS, or change what is deployed; repeating is safe'),
      ),
    )
      .option(
        '--secret <name=file>',
        'make this secret of davit.yaml from a file, or give it a new version; may be given several times',
        pairs,
        {},
      )
      .option('--yes', 'ask nothing')
      .option('--dry-run', 'print what would be made, and make nothing')
      .option('--policy', 'print the IAM policy that the caller needs, and make nothing')
      .option(
        '--scope <owner>',
        "where davit acts in the CI systems, beside the profiles' repositories: acme or acme/app; may be given several times",
        collect,
      )
      .option('--no-webhook', "do not make the CI systems' webhooks")
      .option('--no-doctor', 'do not run davit doctor at the end')
      .action((options: DeployOptions & { doctor: boolean }) => deploy(options, terminal)),
    'davit deploy --dry-run',
    'davit deploy',
    'davit deploy --secret davit-token-gitea=token --yes',
    'davit deploy --policy > policy.json',
  );
  withExamples(
    withTemplateOptions(
      withStackOptions(program.command('diff').description('show what davit deploy would change on AWS')),
    ).action(async (options: DeployOptions) => {
      const { runDiff } = await import('../deploy/run-diff.ts');
      await runDiff(options, terminal);
    }),
    'davit diff',
  );
  withExamples(
    withStackOptions(program.command('destroy').description('delete a davit on AWS; says what it keeps'))
      .option('--yes', 'ask nothing')
      .option('--abandon', 'leave the agents of launches in flight in their clusters')
      .action(async (options: DestroyOptions) => {
        const { runDestroy } = await import('../deploy/run-destroy.ts');
        await runDestroy(options, terminal);
      }),
    'davit destroy --stack Davit',
  );
}

async function deploy(options: DeployOptions & { doctor: boolean }, terminal: Terminal): Promise<void> {
  // Loads it only here, because the AWS SDK takes longer to load than the rest of the command.
  const { runDeploy } = await import('../deploy/run-deploy.ts');
  const stack = await withAdvice(terminal, runDeploy(options, terminal));
  if (stack === undefined || !options.doctor) return;
  const { config, region, scope = [] } = options;
  const place = { stack, scope, ...(region === undefined ? {} : { region }) };
  await doctor(terminal, { output: 'table', state: '.davit', config, secret: {}, ...place });
}

/** Tells the person who presses Ctrl-C that CloudFormation does not stop. */
async function withAdvice<Result>(terminal: Terminal, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CliError && error.reason === 'interrupted') {
      terminal.note('CloudFormation finishes what it has begun. `davit deploy` waits for it, and continues.');
    }
    throw error;
  }
}

function withStackOptions(command: Command): Command {
  return command
    .option('--stack <name>', 'the name of the CloudFormation stack: DAVIT_STACK, or Davit')
    .option('--region <region>', "the stack's AWS region (default: that of the AWS SDK, such as AWS_REGION)");
}

function withTemplateOptions(command: Command): Command {
  return command
    .option('--config <file>', 'the davit.yaml to deploy', 'davit.yaml')
    .option('--public-url <url>', 'the URL of a proxy at which agents and webhooks reach the API')
    .option('--domain-name <name>', "the API's own domain name")
    .option('--certificate-arn <arn>', 'the certificate of that name, in ACM')
    .option('--eks-access', "give the functions' roles access entries in the EKS clusters of davit.yaml")
    .option('--vpc-id <id>', 'the VPC of the functions that reach clusters or CI systems')
    .option('--subnet-ids <list>', 'their subnets in it')
    .option('--create-concurrency <n>', 'the most Services, and the most Pods, that davit creates at once')
    .option(
      '--answer-concurrency <n>',
      'how many webhooks, and how many agents, davit always has room to answer at once',
    )
    .option('--throw-away', 'let the tables and the logs go with the stack');
}
