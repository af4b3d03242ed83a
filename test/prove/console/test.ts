/** Runs the tests of the console in a real browser: `npm run prove -- console`. Arguments are jest's. */
import { existsSync } from 'node:fs';
import { runSuites } from '../../support/jest/run-jest.ts';
import { chromiumPath } from './chromium.ts';
import { takePictures } from './pictures.ts';

const help = `npm run prove -- console [jest's options]

Opens the pages of davit console in Chromium, at ${chromiumPath} or at the path in CHROMIUM. Without it the tests are
skipped, and with CI=1 the exit code is then 1.

  --pictures   makes the pictures of docs/console.md and docs/console-failures.md instead
`;

const missing = existsSync(chromiumPath) ? '' : `  there is no ${chromiumPath}`;
if (missing === '' && process.argv[2] === '--pictures') await takePictures();
else await runSuites({ help, config: 'test/prove/console/jest.config.ts', tests: 'of the console', missing });
