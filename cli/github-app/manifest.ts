import type { GithubAppArguments } from './arguments.ts';

/**
 * The webhook's URL of an App that is made before its davit: the one of GitHub's own example. An App without an active webhook
 * cannot be given one by the API.
 */
export function noWebhookYet(ciSystem: string): string {
  return `https://example.com/webhooks/${ciSystem}`;
}

/** A GitHub App as GitHub makes it. @see https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest */
export interface AppManifest {
  name: string;
  url: string;
  description: string;
  public: boolean;
  hook_attributes: { url: string; active: boolean };
  default_permissions: Record<string, 'read' | 'write'>;
  default_events: string[];
  redirect_url?: string;
}

/**
 * Describes davit's App: the permissions that its calls need, and no others.
 *
 * @param redirectUrl where GitHub sends the person's browser with the code; absent when nothing waits for it
 */
export function appManifest(options: GithubAppArguments, redirectUrl?: string): AppManifest {
  const { organization, ciSystem, webhookUrl = noWebhookYet(ciSystem), url, name, scopes, canRerun } = options;
  return {
    name,
    url: `${url}/${organization}`,
    description: 'Launches runners in Kubernetes for the jobs of this organization',
    public: false,
    hook_attributes: { url: webhookUrl, active: true },
    default_permissions: {
      ...(scopes.includes('organization') ? { organization_self_hosted_runners: 'write' } : {}),
      ...(scopes.includes('repository') ? { administration: 'write' } : {}),
      actions: canRerun ? 'write' : 'read',
      statuses: 'write',
      metadata: 'read',
    },
    default_events: ['workflow_job'],
    ...(redirectUrl === undefined ? {} : { redirect_url: redirectUrl }),
  };
}
