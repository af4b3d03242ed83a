import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { applyMistake } from './apply-mistake.ts';
import { mistakes } from './mistakes.ts';

const root = join(import.meta.dirname, '../../..');
const [seeds, parity] = process.argv.slice(2);
for (const [i, m] of mistakes.entries()) {
  if (i % 2 !== Number(parity)) continue;
  const copy = mkdtempSync(join(tmpdir(), 'davit-mistake-'));
  cpSync(root, copy, {
    recursive: true,
    filter: (f) => !['node_modules', '.git', '.davit-cluster'].includes(relative(root, f)),
  });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, m.file), applyMistake(m, readFileSync(join(root, m.file), 'utf8')));
  const r = spawnSync(process.execPath, ['test/simulation/mistakes/find-evidence.ts', seeds, m.of], {
    cwd: copy,
    encoding: 'utf8',
  });
  console.log(m.name, r.stdout, r.stderr.slice(0, 300));
  rmSync(copy, { recursive: true, force: true });
}
