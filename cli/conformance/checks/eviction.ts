import { judgeDisruption } from '../../../core/pod/judge-disruption.ts';
import { PodView } from '../../../core/pod/kubernetes-objects.ts';
import { type Check, held, notChecked, notHeld } from '../check.ts';
import { statusIn, watchPod } from '../watch-pod.ts';

/** An evicted Pod says that it was evicted. */
export const eviction: Check = {
  name: 'eviction',
  reliesOn: 'a Pod that the eviction API removes shows DisruptionTarget EvictionByEvictionAPI before it goes',
  thenDavit:
    'launches again all the same, at most maxRelaunches times, with the code DeletedExternally in place of PodEvicted, ' +
    'unless an Event of the Pod says that it was evicted.',
  run: async (context) => {
    const { connection, namespace, throwaways } = context;
    const { name, resourceVersion } = (await throwaways.pod()).metadata;
    await connection.core.createNamespacedPodEviction({ name, namespace, body: { metadata: { name, namespace } } });
    for await (const event of watchPod(context, name, resourceVersion)) {
      const { type, object } = event;
      if (type === 'ERROR') return notChecked(`needs a watch: ${statusIn(event).words}`);
      if (type === 'DELETED') return notHeld('the evicted Pod went without a condition DisruptionTarget');
      const pod = PodView.safeParse(object).data;
      const verdict = pod && judgeDisruption(pod);
      if (verdict?.code === 'PodEvicted') return held(verdict.detail);
    }
    return notHeld('the eviction was accepted, and no watch showed its condition');
  },
};
