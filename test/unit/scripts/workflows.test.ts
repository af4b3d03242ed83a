import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import { sectionOf } from '../../../scripts/workflows/section-of.ts';

const Permissions = z.record(z.string(), z.enum(['read', 'write']));
const Step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.looseObject({}).optional(),
});
const Job = z.looseObject({ permissions: Permissions.optional(), 'timeout-minutes': z.number(), steps: z.array(Step) });
const Workflow = z.looseObject({ permissions: Permissions, jobs: z.record(z.string(), Job) });

const files = globSync('.github/workflows/*.yml', { cwd: rootFolder }).map((path) => {
  const text = readFileSync(join(rootFolder, path), 'utf8');
  return { path, text, workflow: Workflow.parse(parse(text)) };
});
const release = files.find(({ path }) => path.endsWith('release.yml'))?.workflow;

test.each(files)('$path names each action by its commit, with the version beside it', ({ text }) => {
  const lines = text.split('\n').filter((line) => /\buses:/.test(line));

  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !/uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test.each(files)('$path may only read, and keeps no token in the checkout', ({ workflow }) => {
  const checkouts = Object.values(workflow.jobs)
    .flatMap(({ steps }) => steps)
    .filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));

  expect(workflow.permissions).toEqual({ contents: 'read' });
  expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
});

test('a job of a release that may sign or publish installs no packages, and runs none of their scripts', () => {
  const writing = Object.entries(release?.jobs ?? {}).filter(([, { permissions = {} }]) =>
    Object.values(permissions).includes('write'),
  );

  expect(writing.map(([name]) => name)).toEqual(['image', 'chart', 'npm', 'release']);
  const commands = writing.flatMap(([, { steps }]) => steps.flatMap(({ run = '' }) => run));
  expect(commands.filter((run) => /npm (ci|install|run|test)/.test(run))).toEqual([]);
});

describe('the section of a version', () => {
  const changelog = `# Changelog

## Unreleased

Nothing.

## 1.2.3 - 2026-06-01

### Added

- A thing.

## [1.2.2] - 2026-05-01

- Another.

## 1.2.1
`;

  test.each([
    ['1.2.3', '### Added\n\n- A thing.'],
    ['1.2.2', '- Another.'],
    ['1.2.1', undefined],
    ['1.2', undefined],
    ['', undefined],
  ])('%j is %j', (version, section) => {
    expect(sectionOf(changelog, version)).toBe(section);
  });
});
