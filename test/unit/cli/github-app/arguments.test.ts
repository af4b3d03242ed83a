import { GithubAppArgumentError, readGithubAppArguments } from '../../../../cli/github-app/arguments.ts';

const required = ['--org', 'acme', '--webhook-url', 'https://davit.example/webhooks/github'];

test('the organization and the webhook URL are enough', () => {
  expect(readGithubAppArguments(required)).toEqual({
    organization: 'acme',
    webhookUrl: 'https://davit.example/webhooks/github',
    ciSystem: 'github',
    url: 'https://github.com',
    name: 'davit-acme',
    scopes: ['organization'],
    canRerun: false,
    out: 'github-app',
    port: 0,
    printOnly: false,
  });
});

test('without a davit, the App has the CI system that is named, and no webhook yet', () => {
  expect(readGithubAppArguments(['--org', 'acme'])).not.toHaveProperty('webhookUrl');
  expect(readGithubAppArguments(['--org', 'acme'])).toMatchObject({ ciSystem: 'github' });
  expect(readGithubAppArguments(['--org', 'acme', '--ci-system', 'ghes'])).toMatchObject({ ciSystem: 'ghes' });
});

test('the name is cut to what GitHub takes', () => {
  const organization = 'a'.repeat(39);

  expect(readGithubAppArguments([...required, '--org', organization])).toMatchObject({
    name: `davit-${'a'.repeat(28)}`,
  });
});

test('both scopes may be given', () => {
  expect(readGithubAppArguments([...required, '--scope', 'repository', '--scope', 'organization'])).toMatchObject({
    scopes: ['repository', 'organization'],
  });
});

describe('a wrong argument is named, with what was expected', () => {
  const hook = 'expected https://…/webhooks/NAME, NAME up to 12 of a-z, 0-9 and -; found';
  const origin = 'expected a URL such as https://github.example.com, without a path, found';
  test.each([
    [['--org', 'acme/app'], '--org: expected the name of an organization: letters, digits and single hyphens'],
    [['--webhook-url', 'davit.example'], `--webhook-url: ${hook} "davit.example"`],
    [['--webhook-url', 'http://d.example/webhooks/ci'], `--webhook-url: ${hook} "http://d.example/webhooks/ci"`],
    [['--webhook-url', 'https://d.example/hooks/ci'], `--webhook-url: ${hook} "https://d.example/hooks/ci"`],
    [['--webhook-url', 'https://d.example/webhooks/CI'], `--webhook-url: ${hook} "https://d.example/webhooks/CI"`],
    [['--webhook-url', 'https://d.example/webhooks/ci?x'], `--webhook-url: ${hook} "https://d.example/webhooks/ci?x"`],
    [['--ci-system', 'GHES'], '--ci-system: expected up to 12 of a-z, 0-9 and -; found "GHES"'],
    [
      ['--ci-system', 'ghes'],
      '--webhook-url: expected …/webhooks/ghes, as --ci-system says; found https://davit.example/webhooks/github',
    ],
    [['--url', 'https://ghes.example/'], `--url: ${origin} "https://ghes.example/"`],
    [['--url', 'http://ghes.example'], `--url: ${origin} "http://ghes.example"`],
    [['--url', 'ghes.example'], `--url: ${origin} "ghes.example"`],
    [['--name', 'a'.repeat(35)], '--name: expected at most 34 characters'],
    [['--scope', 'enterprise'], '--scope: expected organization or repository'],
    [['--port', 'http'], '--port: expected a port'],
    [['--out', ''], '--out: expected a folder'],
  ])('%j', (args, message) => {
    expect(() => readGithubAppArguments([...required, ...args])).toThrow(new GithubAppArgumentError(message));
  });

  test('all at once', () => {
    expect(() => readGithubAppArguments(['--scope', 'x'])).toThrow(
      new GithubAppArgumentError(
        ['--org: expected the name of an organization', '--scope: expected organization or repository'].join('\n'),
      ),
    );
  });

  test('an unknown one, too', () => {
    expect(() => readGithubAppArguments([...required, '--organization', 'acme'])).toThrow(GithubAppArgumentError);
  });
});
