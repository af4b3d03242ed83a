import { buildGitea } from './build-gitea.ts';
import { createGiteaClient, type GiteaClient } from './gitea-client.ts';
import { type Gitea, type GiteaOptions, startGitea } from './start-gitea.ts';

/** A Gitea whose organization acme has the empty repository app, with Actions: what the documents begin with. */
export interface Acme extends AsyncDisposable {
  gitea: Gitea;
  client: GiteaClient;
}

/** Builds and starts it. @throws Error with Gitea's or the compiler's output */
export async function startAcme(options: GiteaOptions = {}): Promise<Acme> {
  const built = await buildGitea((text) => process.stderr.write(`${text}\n`));
  await using started = new AsyncDisposableStack();
  const gitea = started.use(await startGitea(built, options));
  const client = createGiteaClient(gitea);
  await client.createOrganization('acme');
  await client.createRepository('acme', 'app');
  const all = started.move();
  return { gitea, client, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
