/** Runs the tests of the console in a real browser: `npm run prove -- console`. Arguments are jest's. */
import { existsSync } from 'node:fs';
import { runJest } from '../../support/jest/run-jest.ts';
import { chromiumPath } from './chromium.ts';
import { takePictures } from './pictures.ts';

const help = `npm run prove -- console [jest's options]

Opens the pages of davit console in Chromium, at ${chromiumPath} or at the path in CHROMIUM. Without it the tests are
skipped, and with CI=1 the exit code is then 1.

  --pictures              makes the pictures of docs/console.md and docs/console-failures.md instead
  --pictures FOLDER N     makes pictures of every page in FOLDER, with N invented launches
`;

if (process.argv.includes('--help')) {
  process.stdout.write(help);
} else if (existsSync(chromiumPath) && process.argv[2] === '--pictures') {
  const [folder, launches] = process.argv.slice(3);
  await takePictures(folder, launches === undefined ? undefined : Number(launches));
} else if (existsSync(chromiumPath)) {
  process.exitCode = await runJest(['--config', 'test/prove/console/jest.config.ts', ...process.argv.slice(2)]);
} else {
  const isCi = (process.env['CI'] ?? '') !== '';
  const outcome = isCi ? 'cannot run, and in CI they must' : 'are skipped';
  process.stderr.write(`The tests of the console ${outcome}: there is no ${chromiumPath}\n`);
  process.exitCode = isCi ? 1 : 0;
}
