/** Runs the suites that test against AWS's own programs: `npm run prove -- aws`. Arguments are jest's. */
import { runJest } from '../../support/jest/run-jest.ts';
import { dynamoDbVariable } from '../../support/start-dynamo-db.ts';
import { startDynamoDbLocal } from './dynamodb-local/start-dynamodb-local.ts';
import { missingJava } from './java.ts';

const help = `npm run prove -- aws [jest's options]

Runs the contracts of davit's tables on DynamoDB Local, and davit's EventBridge patterns on Event Ruler. Maven fetches both
programs once, 55 MB, into the git-ignored folder .aws-programs. Needs a JDK of version 17 or newer, and Maven. Without
them it runs nothing, and with CI=1 the exit code is then 1.
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
  const args = ['--config', 'test/prove/aws-programs/jest.config.ts', ...options];
  return await runJest(args, { [dynamoDbVariable]: dynamoDb.url });
}
