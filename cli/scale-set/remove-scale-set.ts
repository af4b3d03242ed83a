import { profilesOf, scaleSetOf } from '../../core/ci/ci-systems.ts';
import type { Config } from '../../core/config/config.ts';
import type { QueueRemoval } from '../../ports/queue-removal.ts';
import { orRefused } from '../api/ci-errors.ts';
import { type ConfigOptions, openConfig } from '../api/open-config.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';

/** The options of `davit remove-scale-set`. */
export interface RemoveScaleSetOptions extends ConfigOptions {
  /** Whether runners and jobs of the set may be left behind. */
  abandon?: boolean;
}

const permissions = 'davit needs the same permissions as for runners: docs/github.md lists them.';

/**
 * Removes the runner scale set of a CI system from GitHub, with the session that reads it.
 *
 * @param name the CI system's name in davit.yaml
 * @throws CliError when the set is in use, or GitHub refuses; ConfigError
 */
export async function removeScaleSet(name: string, options: RemoveScaleSetOptions, terminal: Terminal): Promise<void> {
  const { abandon = false } = options;
  const { config, open } = await openConfig(options, terminal);
  const { system, setName, group } = findScaleSet(config, name, options.config);
  const { queueUse, removeQueue } = open([system])(name);
  if (queueUse === undefined || removeQueue === undefined) throw new TypeError(`${name} has no queue of messages`);
  if (!abandon) await orRefused(checkUnused(setName, { queueUse }, group), permissions);
  const outcome = await orRefused(removeQueue(group), permissions);
  terminal.line(outcome === 'removed' ? `removed the scale set ${setName}` : `there is no scale set ${setName}`);
}

function findScaleSet({ ciSystems, profiles }: Config, name: string, file: string) {
  const system = ciSystems.find((each) => each.name === name);
  const scaleSet = system && scaleSetOf(system);
  if (system === undefined || scaleSet === undefined) {
    const known = ciSystems.filter((each) => scaleSetOf(each) !== undefined).map((each) => each.name);
    const has = known.length === 0 ? 'none' : known.join(', ');
    const message = `${file} has no CI system ${name} with a scale set: it has ${has}`;
    throw new CliError('unknown', 'scale-set-unknown', message);
  }
  return { system, setName: scaleSet.name ?? name, group: profilesOf(system, profiles)[0]?.runnerGroup };
}

/** @throws CliError when GitHub says that runners or jobs of the set are left */
async function checkUnused(setName: string, { queueUse }: Pick<QueueRemoval, 'queueUse'>, group: string | undefined) {
  const { runners, jobs } = (await queueUse(group)) ?? { runners: 0, jobs: 0 };
  if (runners === 0 && jobs === 0) return;
  const message = `the scale set ${setName} is in use: runners: ${runners}, jobs that are not over: ${jobs}`;
  const advice = 'Wait until its jobs are over. --abandon removes it nevertheless.';
  throw new CliError('failed', 'scale-set-in-use', message, advice);
}
