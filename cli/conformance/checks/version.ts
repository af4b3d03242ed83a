import { type Check, held, notChecked, notHeld } from '../check.ts';

/** The minor versions of Kubernetes 1 that docs/compatibility.md lists as tested. */
export const testedMinors: readonly number[] = [34];

/** The oldest minor version of Kubernetes 1 that knows all that davit prints and sends. */
export const oldestMinor = 30;

/** The server's version is one that docs/compatibility.md lists. */
export const version: Check = {
  name: 'version',
  reliesOn: 'a version of Kubernetes that docs/compatibility.md lists',
  thenDavit:
    'launches there all the same. Such a server does not know the policy that `davit rbac` prints: leave it out. ' +
    "davit's Role may then create Services of any kind.",
  run: async ({ version: said }) => {
    if (said === undefined) return notChecked('the server does not show its version: GET /version');
    const minor = Number(/^v?1\.(\d+)/.exec(said)?.[1]);
    if (Number.isNaN(minor)) return notChecked(`the server calls itself ${said}`);
    if (minor < oldestMinor) return notHeld(`${said} is older than 1.${oldestMinor}`);
    return held(`${said}: ${testedMinors.includes(minor) ? 'tested' : 'read, not tested'}`);
  },
};
