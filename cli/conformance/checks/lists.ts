import { itemsOf } from '../../../adapters/kubernetes/list-items.ts';
import { resourceCalls } from '../../../adapters/kubernetes/resource-calls.ts';
import { wireObject } from '../../../adapters/kubernetes/wire-object.ts';
import { PodView } from '../../../core/pod/kubernetes-objects.ts';
import { type Check, type CheckContext, held, notHeld } from '../check.ts';
import { conformanceLabel } from '../manifests.ts';

const mostPages = 5;

/** A list by a label has every object with that label, over its pages. */
export const lists: Check = {
  name: 'lists',
  reliesOn: 'a list by a label has all objects with the label and no others, over its pages',
  thenDavit:
    'leaves out what has not the label that it asked for, and deletes none of it. What a list lacks stays, except for a Pod ' +
    'that goes with its Service.',
  run: async (context) => {
    const made = [await context.throwaways.pod(), await context.throwaways.pod()].map(({ metadata }) => metadata.name);
    const pages = await pagesOf(context);
    const listed = pages.flat().toSorted();
    const words = `${listed.length} of ${made.length} Pods in ${pages.length} pages of 1`;
    return listed.join() === made.toSorted().join() ? held(words) : notHeld(`${words}: ${listed.join(', ') || 'none'}`);
  },
};

/** @returns the names on each page */
async function pagesOf({ connection, namespace, throwaways }: CheckContext): Promise<string[][]> {
  const query = { namespace, labelSelector: `${conformanceLabel}=${throwaways.label}`, limit: 1 };
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await resourceCalls.pods.list(connection.core, { ...query, ...(cursor && { _continue: cursor }) });
    pages.push(itemsOf(page).map((item) => PodView.parse(wireObject(item)).metadata.name));
    cursor = page?.metadata?._continue;
  } while (cursor && pages.length < mostPages);
  return pages;
}
