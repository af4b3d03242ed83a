/** Runs davit as processes of their own: `npm run prove -- processes`. Arguments are jest's. */
import { runJest } from '../../support/jest/run-jest.ts';

const help = `npm run prove -- processes [jest's options]

Runs \`davit local\` in processes of its own: kills and restarts it while launches start and messages of a scale set arrive, gives it
two clusters of a kubeconfig, reads the metrics that it sends and serves, opens the console on a demo, and makes mistakes on its
command line.
`;

if (process.argv.includes('--help')) process.stdout.write(help);
else process.exitCode = await runJest(['--config', 'test/prove/processes/jest.config.ts', ...process.argv.slice(2)]);
