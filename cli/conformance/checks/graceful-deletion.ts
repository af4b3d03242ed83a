import { resourceCalls } from '../../../adapters/kubernetes/resource-calls.ts';
import { hasEnded } from '../../../core/pod/has-ended.ts';
import { judgePod } from '../../../core/pod/judge-pod.ts';
import { PodView } from '../../../core/pod/kubernetes-objects.ts';
import { type Check, type CheckContext, held, notChecked, notHeld, type Outcome } from '../check.ts';
import { until, waitWords } from '../until.ts';
import { statusIn, watchPod } from '../watch-pod.ts';

/** A deleted Pod on a node shows that it is being deleted. */
export const gracefulDeletion: Check = {
  name: 'graceful-deletion',
  reliesOn: 'a Pod that is deleted on its node shows a deletionTimestamp before it goes',
  thenDavit:
    'sees the deletion only when the Pod is gone: the launch begins again that much later, and an agent that is ending ' +
    'may still connect.',
  run: async (context) => {
    const { throwaways, connection, namespace } = context;
    const { name, uid, resourceVersion } = (await throwaways.pod({ spec: {} })).metadata;
    const onNode = await until(context, async () => (await throwaways.findPod(name))?.spec.nodeName || undefined);
    if (onNode === undefined)
      return notChecked(`needs a node that takes a small Pod: none after ${waitWords(context)}`);
    await resourceCalls.pods.remove(connection.core, namespace, name, uid);
    return await deletionSeen(context, name, resourceVersion);
  },
};

async function deletionSeen(context: CheckContext, name: string, resourceVersion: string): Promise<Outcome> {
  for await (const event of watchPod(context, name, resourceVersion)) {
    const { type, object } = event;
    if (type === 'ERROR') return notChecked(`needs a watch: ${statusIn(event).words}`);
    const pod = PodView.safeParse(object).data;
    const words = pod === undefined ? '' : judgePod(pod, pod.metadata.uid).detail;
    if (type !== 'DELETED' && pod?.metadata.deletionTimestamp !== undefined) return held(words);
    // A Pod whose containers have ended needs no grace.
    if (pod !== undefined && hasEnded(pod)) return notChecked(`needs an image that runs: ${words}`);
    if (type === 'DELETED') return notHeld('the Pod went without a deletionTimestamp');
  }
  return notHeld('no watch showed that the Pod is being deleted');
}
