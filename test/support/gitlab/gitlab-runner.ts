import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { RunSingle } from './run-single.ts';

/** Stands in for `gitlab-runner run-single`, with the options and the configuration file that davit's preset uses. */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    config: { type: 'string' },
    runner: { type: 'string' },
    'max-builds': { type: 'string' },
    'wait-timeout': { type: 'string' },
  },
});
if (positionals[0] !== 'run-single' || values.config === undefined) process.exit(1);
const config = await readFile(values.config, 'utf8');
const keyOf = (name: string) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(config)?.[1] ?? '';
if (keyOf('name') !== values.runner || keyOf('executor') !== 'shell') process.exit(1);

const runner = new RunSingle({
  url: keyOf('url'),
  token: keyOf('token'),
  maxBuilds: Number(values['max-builds']),
  waitTimeoutSeconds: Number(values['wait-timeout']),
  checkIntervalMs: 200,
});
process.on('SIGQUIT', () => runner.quit());
process.on('SIGTERM', () => runner.terminate());
await runner.run();
