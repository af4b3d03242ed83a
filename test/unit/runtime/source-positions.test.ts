import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleOptions, rootFolder } from '../../../cdk/bundling.ts';
import { inSources } from '../../../runtime/source-positions.ts';
import { runProcess } from '../../../scripts/run-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'davit-positions-'));

const source = `import { logger } from '${rootFolder}runtime/logger.ts';

function fails(): never {
  throw new TypeError('told', { cause: new Error('why') });
}

try {
  fails();
} catch (error) {
  logger.error('failed', { error });
}
`;

test('the stacks of an error and its cause are logged with positions in the source', async () => {
  const outfile = join(folder, 'index.mjs');
  writeFileSync(join(folder, 'fails.ts'), source);
  buildSync({ ...bundleOptions, absWorkingDir: rootFolder, entryPoints: [join(folder, 'fails.ts')], outfile });

  const { output } = await runProcess(process.execPath, [outfile], { cwd: folder, env: {} });

  const { stack, cause } = JSON.parse(output).error;
  expect(stack).toMatch(/^TypeError: told\n\s+at \w+ \(fails\.ts:4:9\)/);
  expect(cause.stack).toMatch(/^Error: why\n\s+at \w+ \(fails\.ts:4:40\)/);
  expect(stack + cause.stack).not.toContain('index.mjs');
});

test.each([
  'at fails (file:///var/task/other.mjs:1:2)',
  'at node:internal/process:1:2',
  'file://somewhere.else/index.mjs:1:2',
  'file:///%2F/index.mjs:1:2',
])('a stack without positions in the bundle stays as it is: %s', (line) => {
  expect(inSources(`Error: told\n    ${line}`)).toBe(`Error: told\n    ${line}`);
});
