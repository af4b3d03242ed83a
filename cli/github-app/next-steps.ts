import { stringify } from 'yaml';
import type { GithubAppArguments } from './arguments.ts';
import type { MadeApp } from './convert-code.ts';
import type { SecretFolder } from './secret-folder.ts';

/** Where an owner of the organization installs the App. */
export function installUrlOf({ html_url: url }: MadeApp): string {
  return `${url}/installations/new`;
}

/** The lines of davit.yaml for the App. */
export function ciSystemLines({ ciSystem, url }: GithubAppArguments, app: Pick<MadeApp, 'id'>): string {
  const { webhook, privateKey } = secretNames(ciSystem);
  const system = {
    name: ciSystem,
    provider: 'github',
    ...(url === 'https://github.com' ? {} : { url }),
    webhookSecret: webhook,
    app: { id: app.id, privateKeySecret: privateKey },
  };
  return stringify({ ciSystems: [system] });
}

/** The person's next steps. Contains no secret. */
export function nextSteps(options: GithubAppArguments, app: MadeApp, folder: SecretFolder): string {
  const { webhook, privateKey } = secretNames(options.ciSystem);
  const { webhookSecretFile, privateKeyFile } = folder;
  return `The App ${app.name} is made, with the id ${app.id}: ${app.html_url}

1. Put these lines into davit.yaml:

${ciSystemLines(options, app)}
2. Deploy, which puts the App's secrets into Secrets Manager and turns the App's webhook to davit, and remove the files:

   davit deploy --secret ${webhook}=${shellWord(webhookSecretFile)} --secret ${privateKey}=${shellWord(privateKeyFile)}
   rm -r ${shellWord(options.out)}

3. Install the App, for the repositories whose jobs davit is to run:

   ${installUrlOf(app)}

docs/github.md has the next steps: the profile, the first job, and what to do when it waits.
`;
}

function secretNames(ciSystem: string): { webhook: string; privateKey: string } {
  return { webhook: `davit-webhook-${ciSystem}`, privateKey: `davit-app-key-${ciSystem}` };
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
