import { githubApiUrl } from '../../ci/github/github-url.ts';
import type { GithubAppArguments } from './arguments.ts';
import { convertCode, type MadeApp } from './convert-code.ts';
import { nextSteps } from './next-steps.ts';
import { makeSecretFolder } from './secret-folder.ts';
import { serveForm } from './serve-form.ts';

/** The dependencies of making an App. */
export interface MakeGithubAppDeps {
  print: (text: string) => void;
  /** Ends the wait when it is aborted; the wait then throws its reason. */
  signal: AbortSignal;
}

/**
 * Makes a GitHub App by its manifest: serves a form, waits until the person has sent it to GitHub and GitHub has sent
 * the person back, exchanges the code, and saves the secrets.
 *
 * @throws FolderError when the folder cannot be made; the signal's reason; the listen error
 */
export async function makeGithubApp(options: GithubAppArguments, deps: MakeGithubAppDeps): Promise<void> {
  const folder = await makeSecretFolder(options.out);
  const exchanges: Promise<MadeApp>[] = [];

  async function exchangeAndSave(code: string): Promise<MadeApp> {
    const app = await convertCode(githubApiUrl(options), code);
    await folder.save(app);
    return app;
  }

  function take(code: string): Promise<MadeApp> {
    const exchange = exchangeAndSave(code);
    exchanges.push(exchange);
    return exchange;
  }

  try {
    await using form = await serveForm(options, take, (reason) => deps.print(`${reason}\n`));
    deps.print(`Open this in a browser in which you are an owner of ${options.organization}:\n\n  ${form.formUrl}\n\n`);
    const app = await Promise.race([form.taken, aborted(deps.signal)]).catch(async (error: unknown) => {
      // GitHub shows the secrets once, so an exchange under way must finish.
      const settled = await Promise.allSettled(exchanges);
      const made = settled.find((result) => result.status === 'fulfilled');
      if (made === undefined) throw error;
      return made.value;
    });
    deps.print(nextSteps(options, app, folder));
  } catch (error) {
    await folder.release();
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}
