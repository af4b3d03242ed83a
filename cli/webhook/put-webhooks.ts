import type { OpenCiSystem } from '../../ci/open-ci-systems.ts';
import { type CiScope, everyOwner, scopeText } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { ciCredentialSecrets, isPolled } from '../../core/ci/ci-systems.ts';
import type { ReadSecret } from '../api/secret-source.ts';
import { noWebhookYet } from '../github-app/manifest.ts';
import { wordsOf } from '../words-of.ts';

/** What happened to the webhook of one CI system in one scope. */
export interface PutWebhook {
  /** The CI system's name. */
  system: string;
  /** The CI system, and the scope where it has several. */
  about: string;
  outcome: 'made' | 'corrected' | 'skipped' | 'failed';
  /** The URL of a webhook that is there now; why it is not, otherwise. */
  words: string;
  /** What a person does instead. */
  fix?: string;
}

/** The webhooks to make, and how. */
export interface WebhookPlan {
  systems: readonly CiSystemConfig[];
  /** davit's URL for webhooks and agents, without a slash at its end. */
  publicUrl: string;
  scopes: readonly CiScope[];
  /** The scopes of the systems that davit polls, which need no webhook; by default each system's own. Undefined: none. */
  polledScopes: readonly CiScope[] | undefined;
  readSecret: ReadSecret;
  openCiSystem: (name: string) => Pick<OpenCiSystem, 'listWebhooks' | 'putWebhook'>;
  /** Whether the webhook of an App that goes elsewhere is turned to this davit. */
  replace: boolean;
}

/** Makes the webhooks of CI systems to a davit. Yields each outcome as soon as it is known. */
export async function* putWebhooks(plan: WebhookPlan): AsyncGenerator<PutWebhook> {
  for (const system of plan.systems) {
    const { name, webhookSecret: secretId } = system;
    const url = `${plan.publicUrl}/webhooks/${name}`;
    if (
      secretId === undefined ||
      (isPolled(system) && (plan.polledScopes === undefined || !takesWebhooks(plan, name)))
    ) {
      yield { system: name, about: name, outcome: 'skipped', words: 'davit asks it for its jobs: it needs no webhook' };
    } else if (ciCredentialSecrets(system).length === 0) {
      const fix = `give its webhook the URL ${url}, and the secret ${secretId}`;
      yield { system: name, about: name, outcome: 'skipped', words: 'davit has no credential there', fix };
    } else if (isApp(system)) {
      yield await attempt(system, wholeSystem, () => putAppWebhook(plan, system, { url, secretId }));
    } else if (scopesFor(plan, system).length === 0) {
      const fix = 'name one: --scope acme';
      yield { system: name, about: name, outcome: 'failed', words: 'no organization is known', fix };
    } else {
      for (const scope of scopesFor(plan, system)) {
        yield await attempt(system, scope, () => put(plan, system, scope, { url, secretId }));
      }
    }
  }
}

function isApp(system: CiSystemConfig): boolean {
  return 'app' in system && system.app !== undefined;
}

function takesWebhooks({ openCiSystem }: WebhookPlan, name: string): boolean {
  return openCiSystem(name).putWebhook !== undefined;
}

const wholeSystem: CiScope = { organization: everyOwner };

function scopesFor({ scopes, polledScopes = [] }: WebhookPlan, system: CiSystemConfig): readonly CiScope[] {
  if (!isPolled(system)) return scopes;
  return polledScopes.length === 0 ? [wholeSystem] : polledScopes;
}

interface WantedWebhook {
  url: string;
  secretId: string;
}

type Outcome = Omit<PutWebhook, 'system' | 'about'>;

async function attempt(system: CiSystemConfig, scope: CiScope, act: () => Promise<Outcome>): Promise<PutWebhook> {
  const { name } = system;
  const about = scopeText(scope) === everyOwner ? name : `${name}: ${scopeText(scope)}`;
  try {
    return { system: name, about, ...(await act()) };
  } catch (error) {
    const words = wordsOf(error);
    const fix = / 40[34]: /.test(words) ? permissionOf(system, scope) : undefined;
    return { system: name, about, outcome: 'failed', words, ...(fix === undefined ? {} : { fix }) };
  }
}

function permissionOf(system: CiSystemConfig, scope: CiScope): string {
  if (system.provider !== 'gitlab') {
    return "the organization's owner may manage its webhooks, and a token needs the scope for it: docs/github.md and docs/gitea.md have them";
  }
  const needed = `and a token with the scope api: --secret ${system.tokenSecret}=FILE reads one of your own`;
  return 'repository' in scope || system.group === undefined
    ? `a project's webhooks need the role Maintainer, ${needed}`
    : `a group's webhooks need GitLab Premium, the role Owner, ${needed}. Without Premium, --scope ${system.group}/PROJECT makes the webhook of one project`;
}

/** An App has one webhook: another davit's is not taken away unless a person says so. */
async function putAppWebhook(plan: WebhookPlan, system: CiSystemConfig, wanted: WantedWebhook): Promise<Outcome> {
  const { url } = wanted;
  const [there] = await plan.openCiSystem(system.name).listWebhooks(wholeSystem);
  if (there !== undefined && ![url, noWebhookYet(system.name)].includes(there.url) && !plan.replace) {
    const words = `the App's only webhook goes to ${there.url}`;
    return { outcome: 'failed', words, fix: `--replace turns it to ${url}` };
  }
  return put(plan, system, wholeSystem, wanted);
}

async function put(
  plan: WebhookPlan,
  system: CiSystemConfig,
  scope: CiScope,
  { url, secretId }: WantedWebhook,
): Promise<Outcome> {
  const ci = plan.openCiSystem(system.name);
  if (ci.putWebhook === undefined) throw new TypeError(`${system.name} takes no webhooks, and is not polled`);
  const secret = await plan.readSecret(secretId);
  return { outcome: await ci.putWebhook(scope, { url, secret }), words: url };
}
