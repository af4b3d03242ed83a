/** Runs the suites of the chart: `npm run prove -- helm`. Arguments are jest's. */

import { completeChart } from '../../../scripts/chart/chart-files.ts';
import { runSuites } from '../../support/jest/run-jest.ts';
import {
  describeMissing,
  type Missing,
  missingPrograms,
  missingRequirements,
} from '../cluster/programs/requirements.ts';

const help = `npm run prove -- helm [jest's options]

Builds the container image from the Dockerfile, on a base of Debian's packages, and installs the chart with the real helm on a
temporary cluster: an agent, helm test, upgrade, rollback, a killed davit, a lost node. On another cluster, it types the commands of
docs/install-helm.md up to a green job of a real Gitea. Needs what npm run cluster -- --help lists, a C compiler, and Debian's
buildah, mmdebstrap and jq. If one is missing, the command names it and runs nothing. With CI=1 the exit code
is then 1.
`;

const tools: readonly Missing[] = [
  ...['buildah', 'mmdebstrap', 'jq'].map((what) => ({ what, get: `apt-get install ${what}` })),
  { what: 'cc', get: 'apt-get install gcc libc6-dev' },
];

if (!process.argv.includes('--help')) await completeChart();
await runSuites({
  help,
  config: 'test/prove/helm/jest.config.ts',
  tests: 'of the chart',
  missing: describeMissing([...(await missingRequirements()), ...(await missingPrograms(tools))]),
});
