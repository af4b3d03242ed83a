import { ApiException } from '@kubernetes/client-node';
import { type Check, type CheckContext, held, notChecked, notHeld } from '../check.ts';
import { refusalOf } from '../refusal-of.ts';

const podSecurityLabel = 'pod-security.kubernetes.io/enforce';

/** davit recognises the refusal of a Pod by a policy. */
export const admission: Check = {
  name: 'admission',
  reliesOn: 'a Pod that a policy refuses is refused in words that davit takes for AdmissionDenied',
  thenDavit:
    'takes the refusal for another error: the launch fails, at the latest after deadlines.podSeconds, and its advice is ' +
    'not about the policy. A Pod that the cluster does not refuse runs.',
  run: async (context) => {
    const level = await podSecurityLevel(context);
    const privileged = context.throwaways.dryPod({ container: { securityContext: { privileged: true } } });
    const refusal = await refusalOf(context, 'create pods', privileged);
    if (refusal !== undefined) {
      const { words, code } = refusal;
      return code === 'AdmissionDenied' ? held(words) : notHeld(`${words}; davit takes it for ${code}`);
    }
    if (level === 'baseline' || level === 'restricted') {
      return notHeld(`a privileged Pod is accepted, although the namespace has ${podSecurityLabel}: ${level}`);
    }
    const needs = `needs a namespace that refuses privileged Pods, for example by the label ${podSecurityLabel}: baseline`;
    return notChecked(level === 'unknown' ? `${needs}; the caller may not read the namespace's labels` : needs);
  },
};

async function podSecurityLevel({ connection, namespace }: CheckContext): Promise<string | undefined> {
  try {
    const { metadata } = await connection.core.readNamespace({ name: namespace });
    return metadata?.labels?.[podSecurityLabel];
  } catch (error) {
    if (error instanceof ApiException) return 'unknown';
    throw error;
  }
}
