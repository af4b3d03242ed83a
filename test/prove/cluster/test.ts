/** Runs the suites that need a real Kubernetes: `npm run prove -- cluster`. Arguments are jest's. */
import { runSuites } from '../../support/jest/run-jest.ts';
import { describeMissing, missingRequirements } from './programs/requirements.ts';

const help = `npm run prove -- cluster [jest's options]

Runs the suites that need a real Kubernetes, on a temporary cluster. npm run cluster -- --help lists the requirements. If
one is missing, the command names it and runs nothing. With CI=1 the exit code is then 1.
`;

await runSuites({
  help,
  config: 'test/prove/cluster/jest.config.ts',
  tests: 'on a real Kubernetes',
  missing: describeMissing(await missingRequirements()),
});
