/** Runs a suite that needs Python: `npm run test:asl`, `npm run test:template`; each has `-- --help`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { missingPython } from './python.ts';

const suites: Readonly<Record<string, string>> = {
  asl: `npm run test:asl -- [jest's options]

Runs statemachine/launch.asl.json on moto's interpreter and on the local engine, with the same functions, sandbox cluster
and agents behind both, through every state and every way out of it, and compares what their histories tell: states,
order, data, errors and ends. About a minute.
`,
  template: `npm run test:template -- [jest's options]

Synthesises the stack of davit.yaml, has cfn-lint and checkov read its template, and has moto's CloudFormation make it, as
far as it knows the types. Runs the commands of docs/deploy.md, with AWS's command line on moto and with curl on a gateway
that checks signatures. About two minutes.
`,
};
const always = 'Exit code 1 if a test fails, 2 without what npm run python installs.\n';

const [suite = '', ...args] = process.argv.slice(2);
const help = suites[suite];
if (help === undefined) throw new RangeError(`expected one of ${Object.keys(suites).join(', ')}, found ${suite}`);
const missing = await missingPython();
if (args.includes('--help')) process.stdout.write(`${help}${always}`);
else if (missing !== undefined) {
  process.stderr.write(`${missing}\n`);
  process.exitCode = 2;
} else {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const tests = ['--config', 'test/moto/jest.config.js', '--testPathPatterns', `test/moto/${suite}/`];
  const { status } = spawnSync(process.execPath, [...jest, ...tests, ...args], { cwd, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
