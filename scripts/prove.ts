/** Runs one of davit's proofs: `npm run prove -- NAME`. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proofs } from './proofs.ts';

const list = Object.entries(proofs)
  .map(([name, { shows, needs }]) => `  ${name.padEnd(11)} ${shows}${needs === undefined ? '' : `; needs ${needs}`}\n`)
  .join('');
const help = `npm run prove -- NAME [options of that proof]

Runs one proof: a suite that needs more than Node.js, or takes longer than \`npm test\`. Exit code 0 only if it holds.
\`npm run prove -- NAME --help\` says what it does and its options.

${list}`;

const [name = '--help'] = process.argv.slice(2);
const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined;
if (name === '--help') process.stdout.write(help);
else if (proof === undefined) {
  process.stderr.write(`there is no proof ${name}: expected one of ${Object.keys(proofs).join(', ')}\n`);
  process.exitCode = 2;
} else {
  // In this process, so that the signals which end a proof reach it.
  const [program = '', ...own] = proof.program.split(' ');
  const root = fileURLToPath(new URL('..', import.meta.url));
  process.chdir(root);
  process.argv.splice(1, 2, join(root, program), ...own);
  await import(join(root, program));
}
