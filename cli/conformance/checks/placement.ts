import { unschedulable as unschedulableSignal } from '../../../core/pod/autoscaler-words.ts';
import { judgePod } from '../../../core/pod/judge-pod.ts';
import type { PodView } from '../../../core/pod/kubernetes-objects.ts';
import { hostOf, missingAddress } from '../../../core/pod/read-address.ts';
import { type Check, held, notChecked, notHeld } from '../check.ts';
import { onNoNode } from '../manifests.ts';
import { until, waitWords } from '../until.ts';

/** A Pod on a node has the node's address. */
export const placement: Check = {
  name: 'placement',
  reliesOn: 'a Pod that a node has shows the address of the node (hostIP)',
  thenDavit:
    'waits in PollHostIP, and ends the launch after deadlines.placementSeconds: PlacementDeadlineExceeded. A profile ' +
    'with `expose: none` needs no hostIP.',
  run: async (context) => {
    const { throwaways } = context;
    let pod = await throwaways.pod({ spec: {} });
    const { name } = pod.metadata;
    const host = await until(context, async () => {
      pod = (await throwaways.findPod(name)) ?? pod;
      return hostOf(pod, 'nodePort');
    });
    if (host !== undefined) return held(`node ${pod.spec.nodeName} reports hostIP ${host}`);
    const missing = missingAddress(pod, { expose: 'nodePort', hostAddress: 'hostIP' });
    if (missing !== undefined) return notHeld(`${missing}; after ${waitWords(context)}`);
    return notChecked(`needs a node that takes a small Pod: ${wordsOf(pod)}; after ${waitWords(context)}`);
  },
};

/** A Pod that fits on no node says why. */
export const unschedulable: Check = {
  name: 'unschedulable',
  reliesOn: "a Pod that fits on no node shows PodScheduled=False, Unschedulable, and the scheduler's words",
  thenDavit:
    'waits until deadlines.placementSeconds in either case, but cannot say why, and does not move the launch to another ' +
    'cluster of its profile after spillSeconds.',
  run: async (context) => {
    const { throwaways } = context;
    const name = throwaways.newName();
    let pod = await throwaways.pod({ name, spec: onNoNode(name) });
    const verdict = await until(context, async () => {
      pod = (await throwaways.findPod(name)) ?? pod;
      const judged = judgePod(pod, pod.metadata.uid);
      return judged.kind === 'wait' && judged.signal === unschedulableSignal ? judged : undefined;
    });
    return verdict === undefined ? notHeld(`${wordsOf(pod)}; after ${waitWords(context)}`) : held(verdict.detail);
  },
};

function wordsOf(pod: PodView): string {
  return judgePod(pod, pod.metadata.uid).detail;
}
