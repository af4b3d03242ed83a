import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as z from 'zod';
import { type GithubAppArguments, readGithubAppArguments } from '../../../../cli/github-app/arguments.ts';
import { appManifest } from '../../../../cli/github-app/manifest.ts';

const description: unknown = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json'), 'utf8'),
);
const Permissions = z.record(z.string(), z.looseObject({ enum: z.array(z.string()) }));
const known = z
  .object({
    components: z.object({ schemas: z.record(z.string(), z.looseObject({ properties: z.unknown().optional() })) }),
  })
  .transform(({ components }) => Permissions.parse(components.schemas['app-permissions']?.properties))
  .parse(description);

function optionsOf(...args: string[]): GithubAppArguments {
  const required = ['--org', 'acme', '--webhook-url', 'https://davit.example/webhooks/github'];
  const options = readGithubAppArguments([...required, ...args]);
  if (options === 'help') throw new Error('expected options');
  return options;
}

test('the App has a webhook for jobs, is private, and belongs to the organization', () => {
  expect(appManifest(optionsOf(), 'http://127.0.0.1:1/callback')).toMatchObject({
    name: 'davit-acme',
    url: 'https://github.com/acme',
    public: false,
    hook_attributes: { url: 'https://davit.example/webhooks/github', active: true },
    default_events: ['workflow_job'],
    redirect_url: 'http://127.0.0.1:1/callback',
  });
});

test('the App of a davit that is yet to be has an active webhook, which the API can turn later', () => {
  const options = readGithubAppArguments(['--org', 'acme', '--ci-system', 'ghes']);
  if (options === 'help') throw new Error('expected options');

  expect(appManifest(options).hook_attributes).toEqual({ url: 'https://example.com/webhooks/ghes', active: true });
});

const always = { statuses: 'write', metadata: 'read' };
test.each([
  [[], { organization_self_hosted_runners: 'write', actions: 'read' }],
  [['--scope', 'organization'], { organization_self_hosted_runners: 'write', actions: 'read' }],
  [['--scope', 'repository'], { administration: 'write', actions: 'read' }],
  [
    ['--scope', 'repository', '--scope', 'organization'],
    { administration: 'write', organization_self_hosted_runners: 'write', actions: 'read' },
  ],
  [['--rerun'], { organization_self_hosted_runners: 'write', actions: 'write' }],
])('with %j it has the permissions that davit needs, and GitHub knows each', (args, wanted) => {
  const { default_permissions: permissions } = appManifest(optionsOf(...args));

  expect(permissions).toEqual({ ...always, ...wanted });
  for (const [name, access] of Object.entries(permissions)) expect(known[name]?.enum).toContain(access);
});
