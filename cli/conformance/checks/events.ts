import { wireObject } from '../../../adapters/kubernetes/wire-object.ts';
import { wordsOf } from '../../../core/pod/describe-pod.ts';
import { EventView } from '../../../core/pod/kubernetes-objects.ts';
import { type Check, type CheckContext, held, notHeld } from '../check.ts';
import { onNoNode } from '../manifests.ts';
import { until, waitWords } from '../until.ts';

/** A Pod's Events are found by the Pod's name. */
export const events: Check = {
  name: 'events',
  reliesOn: 'the Events of a Pod are listed by its name, and those of no other Pod',
  thenDavit:
    'launches as before, and knows less: whether an autoscaler acts for a Pod, what holds its containers up, and why a ' +
    'Pod is gone. It skips Events with the uid of another Pod.',
  run: async (context) => {
    const name = context.throwaways.newName();
    const { uid } = (await context.throwaways.pod({ name, spec: onNoNode(name) })).metadata;
    const listed = await until(context, async () => {
      const found = await eventsOf(context, name);
      return found.length === 0 ? undefined : found;
    });
    const [first] = listed ?? [];
    if (first === undefined) return notHeld(`a Pod that fits on no node has no Event after ${waitWords(context)}`);
    const foreign = listed?.find(({ involvedObject }) => involvedObject.uid !== uid);
    if (foreign !== undefined) return notHeld(`the list has another Pod's Event: ${wordsOf(foreign)}`);
    return held(wordsOf(first));
  },
};

async function eventsOf({ connection, namespace }: CheckContext, pod: string): Promise<EventView[]> {
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod}`;
  const { items } = await connection.core.listNamespacedEvent({ namespace, fieldSelector, limit: 500 });
  return items.map((event) => EventView.parse(wireObject(event)));
}
