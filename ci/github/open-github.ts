import type { CiInspection } from '../../ports/ci-inspection.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { CiWebhooks } from '../../ports/ci-webhooks.ts';
import type { QueueRemoval } from '../../ports/queue-removal.ts';
import { type CiSecrets, tokenReaderOf } from '../ci-credentials.ts';
import type { GithubConfig } from './config.ts';
import { createGithub } from './create-github.ts';
import type { GithubOptions } from './github-api.ts';
import { byApp, byToken } from './github-authorization.ts';
import { githubApiUrl } from './github-url.ts';
import { withScaleSet } from './with-scale-set.ts';

/** Opens a GitHub as its App, or with its token. @throws TerminalError CiRefused when davit.yaml names no credential */
export function openGithub(
  config: GithubConfig,
  secrets: CiSecrets,
  timeoutMs: number,
): CiSystem & CiInspection & Partial<CiWebhooks & QueueRemoval> {
  const access = githubAccess(config, secrets, timeoutMs);
  const { scaleSet: set } = config;
  return set === undefined ? createGithub(access) : withScaleSet(createGithub(access), { ...access, set });
}

/** How a GitHub is reached, and with what. */
export interface GithubAccess extends GithubOptions {
  /** As people open it, without a slash at its end. */
  url: string;
}

/** Finds out how a GitHub is reached. @throws TerminalError CiRefused when davit.yaml names no credential */
export function githubAccess(config: GithubConfig, secrets: CiSecrets, timeoutMs: number): GithubAccess {
  const { name, url } = config;
  const apiUrl = githubApiUrl(config);
  return { name, url, apiUrl, ...authorizationOf(config, apiUrl, secrets, timeoutMs), timeoutMs };
}

function authorizationOf(config: GithubConfig, apiUrl: string, secrets: CiSecrets, timeoutMs: number) {
  const { app } = config;
  if (app === undefined) {
    const { readToken, renew } = tokenReaderOf(config, secrets);
    return byToken(readToken, renew);
  }
  const readPrivateKey = () => secrets.read(app.privateKeySecret);
  const renewPrivateKey = async () => void (await secrets.refresh(app.privateKeySecret));
  return byApp({ appId: app.id, readPrivateKey, renewPrivateKey }, apiUrl, timeoutMs);
}
