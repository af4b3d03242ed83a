import type { Command } from 'commander';
import type { RemoveScaleSetOptions } from '../scale-set/remove-scale-set.ts';
import { type Terminal, untilInterrupted } from '../terminal.ts';
import { pairs, withExamples, withTargetOptions } from './command-options.ts';

/** Adds `davit remove-scale-set`. */
export function addScaleSetCommand(program: Command, terminal: Terminal): void {
  withExamples(
    withTargetOptions(
      program
        .command('remove-scale-set <ci-system>')
        .description(
          "remove a CI system's runner scale set from GitHub, with its session; a davit that runs makes it again",
        ),
      'a davit by the URL of its HTTP API (DAVIT_URL): also give each --secret',
    )
      .option('--config <file>', 'the davit.yaml that has the scale set', 'davit.yaml')
      .option('--secret <name=file>', 'read this file in place of the secret; may be given several times', pairs, {})
      .option('--abandon', 'remove it although it has runners, or jobs that are not over')
      .action(async (name: string, options: RemoveScaleSetOptions) => {
        // Loads it only here, because the AWS SDK takes longer to load than the rest of the command.
        const { removeScaleSet } = await import('../scale-set/remove-scale-set.ts');
        await untilInterrupted(terminal, removeScaleSet(name, options, terminal));
      }),
    'davit remove-scale-set github',
    'davit remove-scale-set github --stack Davit --config earlier.yaml',
    'davit remove-scale-set github --secret davit-token-github=token',
  );
}
