import { resourceCalls } from '../../../adapters/kubernetes/resource-calls.ts';
import { type Check, type CheckContext, held, notChecked, notHeld } from '../check.ts';
import { until, waitWords } from '../until.ts';
import { statusIn, watchPod } from '../watch-pod.ts';

/** A watch reports the changes since its resourceVersion, also those from before it was opened. */
export const watchResumption: Check = {
  name: 'watch-resumption',
  reliesOn: 'a watch from a resourceVersion reports the changes that were made before it was opened',
  thenDavit:
    'reads the object again after 10 s of silence, and sees each change that much later. It does not learn the last ' +
    'state of a Pod that is gone: only its Events then say why it went.',
  run: async (context) => {
    const { name, uid, resourceVersion } = (await context.throwaways.pod()).metadata;
    await resourceCalls.pods.remove(context.connection.core, context.namespace, name, uid);
    if (!(await isGone(context, name)))
      return notChecked(`its Pod is deleted, and not gone after ${waitWords(context)}`);
    for await (const event of watchPod(context, name, resourceVersion)) {
      if (event.type === 'DELETED') return held('a watch that was opened after the deletion of a Pod reported it');
      if (event.type === 'ERROR') return notHeld(`the watch says: ${statusIn(event).words}`);
    }
    return notHeld('the watch did not report the deletion of a Pod that came before it');
  },
};

async function isGone(context: CheckContext, name: string): Promise<boolean> {
  const gone = async () => ((await context.throwaways.findPod(name)) === undefined ? true : undefined);
  return (await until(context, gone)) === true;
}

/** A watch from a resourceVersion that the server no longer has says so. */
export const watchExpiry: Check = {
  name: 'watch-expiry',
  reliesOn: 'a watch from a resourceVersion that is too old is answered by 410 Gone, or by the changes since then',
  thenDavit:
    'reads the object again after 10 s of silence, and sees each change that much later. Any other refusal than 410 is ' +
    "the step's own error, by its status: davit repeats the step, or the launch fails.",
  run: async (context) => {
    const { name } = (await context.throwaways.pod()).metadata;
    for await (const event of watchPod(context, name, '1')) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type !== 'ERROR') return held('the server still has all changes since resourceVersion 1');
      const { code, words } = statusIn(event);
      return code === 410 ? held(words) : notHeld(words);
    }
    return notHeld('a watch from resourceVersion 1 ended, or was silent, without a word about it');
  },
};
