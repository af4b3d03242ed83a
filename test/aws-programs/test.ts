/** Runs the suites that have AWS's own programs as judges: `npm run test:aws`. Arguments are jest's. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { dynamoDbVariable } from '../support/start-dynamo-db.ts';
import { startDynamoDbLocal } from './dynamodb-local/start-dynamodb-local.ts';
import { missingJava } from './java.ts';

const help = `npm run test:aws -- [jest's options]

Runs the contracts of davit's tables on DynamoDB Local, and davit's EventBridge patterns on Event Ruler. Maven fetches both
programs once, 55 MB, into the git-ignored folder .aws-programs. Needs a JDK of version 17 or newer, and Maven: without
them nothing is run, which with CI=1 is exit code 1.
`;

const missing = await missingJava();
if (process.argv.includes('--help')) process.stdout.write(help);
else if (missing === undefined) process.exitCode = await runSuites(process.argv.slice(2));
else {
  const isCi = (process.env['CI'] ?? '') !== '';
  const outcome = isCi ? 'cannot run, and in CI they must' : 'are skipped';
  process.stderr.write(`The tests on AWS's own programs ${outcome}: ${missing}\n`);
  process.exitCode = isCi ? 1 : 0;
}

/** @returns jest's exit code, 1 when a signal ended it */
async function runSuites(options: readonly string[]): Promise<number> {
  await using dynamoDb = await startDynamoDbLocal();
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const suites = spawn(process.execPath, [...jest, '--config', 'test/aws-programs/jest.config.js', ...options], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: { ...process.env, [dynamoDbVariable]: dynamoDb.url },
    stdio: 'inherit',
  });
  const exited = await once(suites, 'exit');
  return Number(exited[0] ?? 1);
}
