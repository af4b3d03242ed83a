/** Checks everything about the repository that needs no test: `npm run check`. */
import { parseArgs } from 'node:util';
import type { Check } from './checks/check.ts';
import { lockFileCheck } from './checks/lock-file-check.ts';
import { noFallbackCheck } from './checks/no-fallback-check.ts';
import { aslValidatorCheck, stateMachineCheck } from './checks/state-machine-check.ts';
import { scriptCheck, toolCheck } from './checks/tool-checks.ts';

const checks: readonly Check[] = [
  toolCheck('types: tsc', 'tsc', '--noEmit', '--pretty', 'false', '-p', '.'),
  toolCheck('types of the package: tsc', 'tsc', '--noEmit', '--pretty', 'false', '-p', 'tsconfig.package.json'),
  toolCheck("types of the console's page: tsc", 'tsc', '--noEmit', '--pretty', 'false', '-p', 'cli/console/page'),
  toolCheck('types of its tests: tsc', 'tsc', '--noEmit', '--pretty', 'false', '-p', 'test/prove/console'),
  toolCheck('lint: oxlint', 'oxlint', '--type-aware', '--deny-warnings'),
  toolCheck('format: biome', 'biome', 'ci', '--colors=off'),
  aslValidatorCheck,
  stateMachineCheck,
  scriptCheck('davit.yaml, and documents made of tables', 'scripts/write-docs.ts', '--check'),
  toolCheck('openapi.json: redocly', 'redocly', 'lint', 'functions/describe-api/openapi.json'),
  noFallbackCheck,
  lockFileCheck,
];

/** Runs one check and prints its result. @returns whether it passed */
async function holds({ name, findings }: Check): Promise<boolean> {
  const startedMs = performance.now();
  const found = await findings();
  const tookSeconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const mark = found.length === 0 ? '✓' : '✗';
  process.stdout.write(`${mark} ${name.padEnd(48)}${tookSeconds.padStart(6)} s\n`);
  for (const finding of found) process.stdout.write(`    ${finding}\n`);
  return found.length === 0;
}

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } });
if (values.help) {
  const names = checks.map(({ name }) => `  ${name}\n`).join('');
  process.stdout.write(`npm run check\n\nRuns every check; exit code 1 if one does not hold:\n${names}`);
} else {
  // In turn: each of the first few uses all processors.
  for (const check of checks) if (!(await holds(check))) process.exitCode = 1;
}
