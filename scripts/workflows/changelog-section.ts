/** Prints the changelog's section of one version, as the text of its release: `node scripts/workflows/changelog-section.ts 1.2.3`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '../../cdk/bundling.ts';
import { sectionOf } from './section-of.ts';

const [version = ''] = process.argv.slice(2);
if (version === '--help') {
  process.stdout.write(
    'node scripts/workflows/changelog-section.ts VERSION\n\nPrints the section of a version in CHANGELOG.md. Exit code 1 if it has none.\n',
  );
} else {
  const section = sectionOf(readFileSync(join(rootFolder, 'CHANGELOG.md'), 'utf8'), version);
  if (section === undefined) {
    process.stderr.write(`CHANGELOG.md has no section "## ${version} - DATE", or nothing in it\n`);
    process.exitCode = 1;
  } else process.stdout.write(`${section}\n`);
}
