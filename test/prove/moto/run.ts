/** Runs a suite that needs Python: `npm run prove -- asl`, `npm run prove -- template`; each has `-- --help`. */
import { runJest } from '../../support/jest/run-jest.ts';
import { missingPython } from './python.ts';

const suites: Readonly<Record<string, string>> = {
  asl: `npm run prove -- asl [jest's options]

Runs statemachine/launch.asl.json on moto's interpreter and on the local engine, through every state and every exit of it.
Both use the same functions, sandbox cluster and agents. Compares their histories: states, order, data, errors and ends.
About a minute.
`,
  template: `npm run prove -- template [jest's options]

Synthesises the stack of davit.yaml, checks its template with cfn-lint and checkov, and creates the resources that moto's
CloudFormation knows. Runs the commands of the pages about AWS, with AWS's command line on moto and with curl on a gateway that
checks signatures. Also runs the commands of docs/operations.md that restore a table, and the CLI's commands with --stack.
Packs the package, and runs davit deploy, diff and destroy from it on moto, also killed halfway. Compares the policy of davit deploy
--policy with the calls that CloudFormation's schemas list. About four minutes.
`,
};
const always = 'Exit code 1 if a test fails, 2 without the packages that test/prove/moto/install-python installs.\n';

const [suite = '', ...args] = process.argv.slice(2);
const help = suites[suite];
if (help === undefined) throw new RangeError(`expected one of ${Object.keys(suites).join(', ')}, found ${suite}`);
const missing = await missingPython();
if (args.includes('--help')) process.stdout.write(`${help}${always}`);
else if (missing !== undefined) {
  process.stderr.write(`${missing}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await runJest([
    '--config',
    'test/prove/moto/jest.config.ts',
    `test/prove/moto/${suite}/`,
    ...args,
  ]);
}
