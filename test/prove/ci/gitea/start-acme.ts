import { GiteaClient } from './gitea-client.ts';
import { type Gitea, type GiteaOptions, startGitea } from './start-gitea.ts';

/** A Gitea whose organization acme has the empty repository app, with Actions: what the documents begin with. */
export interface Acme extends AsyncDisposable {
  gitea: Gitea;
  client: GiteaClient;
}

/** Starts it. @throws Error with Gitea's output, or the compiler's */
export async function startAcme(options: GiteaOptions = {}): Promise<Acme> {
  await using started = new AsyncDisposableStack();
  const gitea = started.use(await startGitea(options));
  const client = new GiteaClient(gitea);
  await client.createOrganization('acme');
  await client.createRepository('acme', 'app');
  const all = started.move();
  return { gitea, client, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
