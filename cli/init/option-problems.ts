import { type EntryOption, entryOptions, firstEntries } from '../../ci/first-entries.ts';
import { ConfigError } from '../../core/config/config-problem.ts';

const entryKeys = Object.values(firstEntries).flatMap(({ keys }) =>
  entryOptions.flatMap((option): [string, string][] => {
    const { key } = keys[option] ?? {};
    return key === undefined ? [] : [[`ciSystems[0].${key}`, optionText(option)]];
  }),
);

/** The options of `davit init`, by the keys that they fill. */
const options: Readonly<Record<string, string>> = {
  ...Object.fromEntries(entryKeys),
  'clusters[0].eks.clusterName': '--eks',
  'clusters[0].eks.region': '--region',
  'profiles[0].labels': '--labels',
  'profiles[0].namespace': '--namespace',
  'profiles[0].template.spec.containers[0].image': '--image',
};

/** Writes an option as on a command line: `ciUrl` as `--ci-url`. */
export function optionText(option: EntryOption): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * Makes a config from options.
 *
 * @throws ConfigError when a value is invalid; it names the option instead of a place in the file, which is not written
 */
export function inOptions(make: () => string): string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map(inOption), { cause: error });
  }
}

/** Turns `davit.yaml:9:5: ciSystems[0].url: DETAIL` into `--ci-url: DETAIL`. */
function inOption(problem: string): string {
  const [, path = '', detail = ''] = /^\S+: (\S+): (.*)$/s.exec(problem) ?? [];
  const option = options[path] ?? options[path.replace(/\[\d+\]$/, '')];
  return option === undefined ? problem : `${option}: ${detail}`;
}
