/** Runs the state machine on a second engine: `npm run test:asl -- --help`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { missingPython } from '../python.ts';

const help = `npm run test:asl -- [jest's options]

Runs statemachine/launch.asl.json on moto's interpreter and on the local engine, with the same functions, sandbox cluster
and agents behind both, through every state and every way out of it, and compares what their histories tell: states,
order, data, errors and ends. About a minute. Exit code 1 if they differ, 2 without moto, which npm run python installs.
`;

const args = process.argv.slice(2);
const missing = await missingPython();
if (args.includes('--help')) process.stdout.write(help);
else if (missing !== undefined) {
  process.stderr.write(`the second engine was not run: ${missing}\n`);
  process.exitCode = 2;
} else {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const cwd = fileURLToPath(new URL('../../../', import.meta.url));
  const config = ['--config', 'test/moto/asl/jest.config.js'];
  const { status } = spawnSync(process.execPath, [...jest, ...config, ...args], { cwd, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
