import { resourceCalls } from '../../../adapters/kubernetes/resource-calls.ts';
import { type Check, type CheckContext, held, notHeld } from '../check.ts';
import { until, waitWords } from '../until.ts';

/** The cluster deletes a Pod whose Service is deleted. */
export const ownerReferences: Check = {
  name: 'owner-references',
  reliesOn: 'a Pod is deleted with the Service that owns it, and the Service after it',
  thenDavit:
    'deletes the Pod itself, too: CleanUp and the sweep do so anyway. A Pod stays only if davit never runs again. A ' +
    'Service that the cluster does not finish deleting keeps its launch in `cleaning` (RemovalPending).',
  run: async (context) => {
    const { throwaways, connection, namespace } = context;
    const service = (await throwaways.service()).metadata;
    const pod = (await throwaways.pod({ owner: { name: service.name, uid: service.uid } })).metadata;
    await resourceCalls.services.remove(connection.core, namespace, service.name, service.uid);
    const left = await leftAfterWait(context, pod.name, service.name);
    if (left.length === 0) return held('a Pod and its Service went after the deletion of the Service alone');
    return notHeld(`${waitWords(context)} after the deletion of the Service: the ${left.join(' and the ')} is there`);
  },
};

async function leftAfterWait(context: CheckContext, pod: string, service: string): Promise<string[]> {
  const { throwaways } = context;
  let left: string[] = [];
  await until(context, async () => {
    const [podFound, serviceFound] = await Promise.all([throwaways.findPod(pod), throwaways.findService(service)]);
    left = [...(podFound === undefined ? [] : ['Pod']), ...(serviceFound === undefined ? [] : ['Service'])];
    return left.length === 0 ? true : undefined;
  });
  return left;
}
