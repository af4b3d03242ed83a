import { ApiException } from '@kubernetes/client-node';
import { answerOf } from '../../../adapters/kubernetes/to-davit-error.ts';
import { isForbiddenUser } from '../../../core/pod/judge-api-error.ts';
import { isAllowed, type RightAttributes } from '../../doctor/ask-cluster.ts';
import { type Check, type CheckContext, held, notHeld } from '../check.ts';

/** A right, and a harmless use of it. */
interface Right {
  attributes: RightAttributes;
  use: (context: CheckContext) => Promise<unknown>;
}

/** SelfSubjectAccessReview says what the server then does. */
export const accessReviews: Check = {
  name: 'access-reviews',
  reliesOn: 'SelfSubjectAccessReview says whether the caller has a right',
  thenDavit:
    'launches as before: only `davit doctor` asks, and reports rights that are not so. A launch that lacks a right ends ' +
    'with ClusterForbidden, or moves to another cluster of its profile.',
  run: async (context) => {
    const found: string[] = [];
    for (const right of rightsIn(context)) {
      const { verb, resource } = right.attributes;
      const said = await review(context, right);
      if (typeof said === 'string') return notHeld(said);
      const isRefused = await isRefusedToUser(right.use(context));
      const words = `${verb} ${resource}: ${said ? 'allowed' : 'not allowed'}`;
      if (said === isRefused) return notHeld(`${words}, but the call itself was ${isRefused ? '' : 'not '}forbidden`);
      found.push(words);
    }
    return held(`${found.join('; ')}; each call was answered alike`);
  },
};

/** A right that the caller has, and one that davit's Role does not give. */
function rightsIn({ namespace }: CheckContext): Right[] {
  return [
    { attributes: { verb: 'create', resource: 'pods', namespace }, use: ({ throwaways }) => throwaways.dryPod() },
    {
      attributes: { verb: 'get', resource: 'nodes' },
      use: ({ connection, throwaways }) => connection.core.readNode({ name: throwaways.newName() }),
    },
  ];
}

/** @returns the server's words if it has no such review */
async function review({ authorization }: CheckContext, { attributes }: Right): Promise<boolean | string> {
  try {
    return await isAllowed(authorization, attributes);
  } catch (error) {
    if (!(error instanceof ApiException) || (error.code !== 404 && error.code !== 405)) throw error;
    return `the server has no SelfSubjectAccessReview: HTTP ${error.code}: ${answerOf(error).message}`;
  }
}

/** Any other refusal is not about the caller's rights. */
async function isRefusedToUser(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return false;
  } catch (error) {
    if (!(error instanceof ApiException)) throw error;
    return isForbiddenUser(answerOf(error));
  }
}
