import type { Command } from 'commander';
import { type Terminal, untilInterrupted } from '../terminal.ts';
import type { WebhookOptions } from '../webhook/run-webhook.ts';
import { collect, pairs, withExamples, withTargetOptions } from './command-options.ts';

/** Adds `davit webhook`. */
export function addWebhookCommand(program: Command, terminal: Terminal): void {
  withExamples(
    withTargetOptions(
      program
        .command('webhook [ci-system]')
        .description(
          "make or correct the CI systems' webhooks to a davit, in GitHub, Gitea and GitLab; repeating is safe",
        ),
      'a davit by the URL of its HTTP API (DAVIT_URL): also give --public-url and each --secret',
    )
      .option('--config <file>', 'the davit.yaml with the CI systems', 'davit.yaml')
      .option(
        '--scope <owner>',
        'whose jobs the webhook is for: acme or acme/app; may be given several times (default: by the repositories of the profiles; in GitLab, the group or the project of davit.yaml)',
        collect,
      )
      .option('--secret <name=file>', 'read this file in place of the secret; may be given several times', pairs, {})
      .option('--public-url <url>', 'where the CI systems reach davit (default: what that davit says)')
      .option('--replace', "turn a GitHub App's webhook to this davit if it goes elsewhere")
      .action(async (name: string | undefined, options: WebhookOptions) => {
        // Loads it only here, because the AWS SDK takes longer to load than the rest of the command.
        const { runWebhook } = await import('../webhook/run-webhook.ts');
        await untilInterrupted(terminal, runWebhook(name, options, terminal));
      }),
    'davit webhook --scope acme',
    'davit webhook gitea --stack Davit',
    'davit webhook gitlab --stack Davit --secret davit-token-gitlab=own-token',
    'davit webhook --url http://127.0.0.1:8080 --public-url https://davit.example.com --secret davit-webhook-gitea=webhook-secret --secret davit-token-gitea=token --scope acme',
  );
}
