/** Checks .github/workflows with actionlint: `npm run prove -- workflows`. */
import { parseArgs } from 'node:util';
import { rootFolder } from '../../cdk/bundling.ts';
import { runProcess } from '../run-process.ts';

const usage = `npm run prove -- workflows

Checks the workflows in .github/workflows with actionlint, and their scripts with shellcheck if it is installed. Builds
actionlint by Go. Exit code 1 if it finds something, 2 without Go.

  --help   this text
`;

const actionlint = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';

async function hasGo(): Promise<boolean> {
  try {
    return (await runProcess('go', ['version'], { cwd: rootFolder })).exitCode === 0;
  } catch {
    return false;
  }
}

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
if (values.help) process.stdout.write(usage);
else if (await hasGo()) {
  const { exitCode, output } = await runProcess('go', ['run', actionlint, '-no-color'], { cwd: rootFolder });
  process.stdout.write(output === '' ? 'actionlint finds nothing\n' : output);
  process.exitCode = exitCode;
} else {
  process.stderr.write('there is no go in PATH: https://go.dev/doc/install (Debian: apt-get install golang)\n');
  process.exitCode = 2;
}
