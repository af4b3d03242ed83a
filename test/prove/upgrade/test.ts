/** Proves that this version takes over the launches of the version before: `npm run prove -- upgrade`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionFolders, rootFolder } from '../../../cdk/bundling.ts';
import { runJest } from '../../support/jest/run-jest.ts';
import { recordingVariable, versionVariable } from './recording.ts';

const help = `npm run prove -- upgrade [jest's options]

Takes the version before this one out of git: the commit before the last one that changed what is deployed. Records its
launches at every state there, its state machine and the shapes of its data. Then continues each of them on this version's
functions, leaves all of them to this version's sweeps at once, and compares the shapes in both directions. Runs jobs while
the functions of both versions share the tables. See docs/adr/0009-every-version-reads-the-others-data.md.
`;

/** The program by which each version records itself. */
const recorder = 'test/prove/upgrade/record.ts';

/** What is deployed: a change of it makes another version. */
const deployed = [...functionFolders, 'statemachine', 'cdk'];

if (process.argv.includes('--help')) process.stdout.write(help);
else process.exitCode = await proveUpgrade(process.argv.slice(2));

async function proveUpgrade(args: readonly string[]): Promise<number> {
  const commit = versionBefore();
  process.stdout.write(`the version before: ${git('log', '-1', '--format=%h %s', commit)}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'davit-upgrade-'));
  try {
    const [copy, recording] = [join(folder, 'version'), join(folder, 'recording')];
    git('worktree', 'add', '--quiet', '--detach', copy, commit);
    symlinkSync(join(rootFolder, 'node_modules'), join(copy, 'node_modules'));
    execFileSync(process.execPath, [recorder, recording], { cwd: copy, stdio: 'inherit' });
    return await runJest(['--config', 'test/prove/upgrade/jest.config.ts', ...args], {
      [recordingVariable]: recording,
      [versionVariable]: copy,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  }
}

/** @throws Error without git */
function versionBefore(): string {
  if (git('status', '--porcelain', '--', ...deployed) !== '') return 'HEAD';
  const [before] = git('log', '-1', '--format=%P', '--', ...deployed).split(' ');
  // The first version that can record itself has none before it, and a shallow clone has none: it continues its own launches.
  const isThere = before !== undefined && before !== '' && git('ls-tree', before, '--', recorder) !== '';
  return isThere ? before : 'HEAD';
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: rootFolder, encoding: 'utf8' }).trim();
}
