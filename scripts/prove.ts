/** Runs one of davit's proofs: `npm run prove -- NAME`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { proofs } from './proofs.ts';

const list = Object.entries(proofs)
  .map(([name, { shows, needs }]) => `  ${name.padEnd(11)} ${shows}${needs === undefined ? '' : `; needs ${needs}`}\n`)
  .join('');
const help = `npm run prove -- NAME [options of that proof]

Runs one proof: a suite that needs more than Node.js, or takes longer than \`npm test\`. Exit code 0 only if it holds.
\`npm run prove -- NAME --help\` says what it does and its options.

${list}`;

const [name = '--help', ...args] = process.argv.slice(2);
const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined;
if (name === '--help') process.stdout.write(help);
else if (proof === undefined) {
  process.stderr.write(`there is no proof ${name}: expected one of ${Object.keys(proofs).join(', ')}\n`);
  process.exitCode = 2;
} else {
  const [program = '', ...own] = proof.program.split(' ');
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const running = spawn(process.execPath, [program, ...own, ...args], { cwd, stdio: 'inherit' });
  const [code] = await once(running, 'exit');
  process.exitCode = Number(code ?? 1);
}
