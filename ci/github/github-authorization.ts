import { createAppAuth } from '@octokit/auth-app';
import { request as octokitRequest } from '@octokit/request';
import type { CiScope } from '../../core/ci/ci-scope.ts';
import * as z from '../../core/zod.ts';
import { scopePath } from '../scope-path.ts';
import type { GithubOptions } from './github-api.ts';

/** A GitHub App's identity. */
export interface GithubApp {
  appId: number;
  /** Reads the App's private key, in PEM: PKCS#8, or PKCS#1 as GitHub gives it. */
  readPrivateKey: () => Promise<string>;
  /** Reads it again, after GitHub refused it. */
  renewPrivateKey?: () => Promise<void>;
}

type Authorization = Pick<GithubOptions, 'authorize' | 'authorizeApp' | 'renew'>;

/**
 * Authorizes by a personal access token. Reads it again for each call, because it may be rotated at any moment.
 *
 * @param renew reads it again, after GitHub refused it
 */
export function byToken(readToken: () => Promise<string>, renew: () => Promise<void> = async () => {}): Authorization {
  return { authorize: async () => `token ${await readToken()}`, renew };
}

const Installation = z.object({ id: z.int() });

/**
 * Authorizes as a GitHub App: with a JWT as the App itself, and with its installation's token within a scope. Octokit
 * keeps an installation's token for an hour; a new private key makes a new Octokit.
 *
 * @param timeoutMs how long each request for an installation or its token may take
 * @see https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
 */
export function byApp(app: GithubApp, apiUrl: string, timeoutMs: number): Authorization {
  const request = octokitRequest.defaults({
    baseUrl: apiUrl,
    headers: { 'user-agent': 'davit' },
    request: {
      fetch: (url: string, init: RequestInit) => fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
    },
  });
  const installations = new Map<string, number>();
  let known: { privateKey: string; auth: ReturnType<typeof createAppAuth> } | undefined;

  async function authOfNow(): Promise<ReturnType<typeof createAppAuth>> {
    const privateKey = await app.readPrivateKey();
    if (known?.privateKey !== privateKey) {
      known = { privateKey, auth: createAppAuth({ appId: app.appId, privateKey, request }) };
    }
    return known.auth;
  }

  async function authorizeApp(): Promise<string> {
    const auth = await authOfNow();
    return `bearer ${(await auth({ type: 'app' })).token}`;
  }

  /** An App has one installation for each account, which is asked for once and not for each of its repositories. */
  async function installationOf(scope: CiScope): Promise<number> {
    const path = scopePath(scope);
    const there = installations.get(ownerOf(scope));
    if (there !== undefined) return there;
    const { data } = await request(`GET ${path}/installation`, { headers: { authorization: await authorizeApp() } });
    const { id } = z.parse(Installation, data);
    installations.set(ownerOf(scope), id);
    return id;
  }

  return {
    authorizeApp,
    // An App that is installed again has another installation, and other tokens.
    renew: async () => {
      installations.clear();
      known = undefined;
      await app.renewPrivateKey?.();
    },
    authorize: async (scope) => {
      const installationId = await installationOf(scope);
      const auth = await authOfNow();
      try {
        return `token ${(await auth({ type: 'installation', installationId })).token}`;
      } catch (error) {
        // It may have been installed again, as another installation.
        installations.delete(ownerOf(scope));
        throw error;
      }
    },
  };
}

function ownerOf(scope: CiScope): string {
  return 'organization' in scope ? scope.organization : scope.repository.owner;
}
