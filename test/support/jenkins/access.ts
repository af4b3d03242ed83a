import { accessDenied, authenticationRequired, httpError, unauthorized } from './answers.ts';

/** Jenkins' permissions, by the names that its pages show. */
export const permissionIds = {
  'Overall/Read': 'hudson.model.Hudson.Read',
  'Agent/Create': 'hudson.model.Computer.Create',
  'Agent/Configure': 'hudson.model.Computer.Configure',
  'Agent/Connect': 'hudson.model.Computer.Connect',
  'Agent/Disconnect': 'hudson.model.Computer.Disconnect',
  'Agent/Delete': 'hudson.model.Computer.Delete',
  'Job/Read': 'hudson.model.Item.Read',
  'Job/Cancel': 'hudson.model.Item.Cancel',
} as const;
export type Permission = keyof typeof permissionIds;

/** The only user of a fake Jenkins. A test may change the permissions at any time. */
export interface JenkinsUser {
  name: string;
  apiToken: string;
  password: string;
  permissions: Set<Permission>;
}

/** The rights of one request. */
export interface Caller {
  has(permission: Permission): boolean;
  /** @throws Refusal with status 403 that names the user and the permission */
  check(permission: Permission): void;
  readonly name: string;
}

/**
 * Authenticates a request with HTTP Basic. A POST with the password, and not an API token, needs a crumb.
 *
 * @throws Refusal 401 for wrong credentials, 403 without the crumb
 * @see hudson.security.csrf.CrumbFilter, jenkins.security.ApiCrumbExclusion
 */
export function authenticate(user: JenkinsUser, method: string, headers: Headers, crumb: string): Caller {
  const [scheme, encoded] = (headers.get('authorization') ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'basic') return anonymous;
  const [name, secret] = splitAtColon(Buffer.from(encoded ?? '', 'base64').toString());
  if (name !== user.name || (secret !== user.apiToken && secret !== user.password)) throw unauthorized();
  const needsCrumb = method === 'POST' && secret === user.password;
  if (needsCrumb && headers.get('jenkins-crumb') !== crumb) {
    throw httpError(403, 'No valid crumb was included in the request');
  }
  return callerOf(user);
}

function callerOf({ name, permissions }: JenkinsUser): Caller {
  return {
    name,
    has: (permission) => permissions.has(permission),
    check: (permission) => {
      if (!permissions.has(permission)) throw accessDenied(name, { title: permission, id: permissionIds[permission] });
    },
  };
}

const anonymous: Caller = {
  name: 'anonymous',
  has: () => false,
  check: (permission) => {
    throw authenticationRequired(permissionIds[permission]);
  },
};

function splitAtColon(text: string): [string, string] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}
