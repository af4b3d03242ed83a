import { accessDenied, unauthorized } from './answers.ts';

/** Jenkins' permissions, by the names that its pages show. */
export const permissionIds = {
  'Overall/Read': 'hudson.model.Hudson.Read',
  'Agent/Create': 'hudson.model.Computer.Create',
  'Agent/Configure': 'hudson.model.Computer.Configure',
  'Agent/Connect': 'hudson.model.Computer.Connect',
  'Agent/Disconnect': 'hudson.model.Computer.Disconnect',
  'Agent/Delete': 'hudson.model.Computer.Delete',
  'Job/Read': 'hudson.model.Item.Read',
  'Job/Create': 'hudson.model.Item.Create',
  'Job/Build': 'hudson.model.Item.Build',
  'Job/Cancel': 'hudson.model.Item.Cancel',
  'Job/Delete': 'hudson.model.Item.Delete',
} as const;
/** A permission, by its name in Jenkins' matrix. */
export type Permission = keyof typeof permissionIds;

/** The only user of a fake Jenkins. A test may change the permissions at any time. */
export interface JenkinsUser {
  name: string;
  apiToken: string;
  permissions: Set<Permission>;
}

/** The rights of one request. */
export interface Caller {
  has(permission: Permission): boolean;
  /** @throws Refusal with status 403 that names the user and the permission */
  check(permission: Permission): void;
  readonly name: string;
}

/** Authenticates a request by HTTP Basic with the API token. @throws Refusal 401 for wrong credentials */
export function authenticate(user: JenkinsUser, headers: Headers): Caller {
  const [scheme, encoded] = (headers.get('authorization') ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'basic') throw unauthorized();
  const [name, secret] = splitAtColon(Buffer.from(encoded ?? '', 'base64').toString());
  if (name !== user.name || secret !== user.apiToken) throw unauthorized();
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

function splitAtColon(text: string): [string, string] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}
