/** Why an item of the queue waits, as far as it says which agents may run it. */
export type Why = { label: string } | { node: string };

// Jenkins writes typographic quotes; Hudson, its ancestor, plain ones.
const unquoted = "[^\u2019']*";
const quoted = `[\u2018'](${unquoted})[\u2019']`;

/** Jenkins' English reasons that name a label expression. @see core/src/main/resources/hudson/model/Messages.properties */
const namingLabels = [
  new RegExp(`^There are no nodes with the label ${quoted}$`),
  new RegExp(`^All nodes of label ${quoted} are offline$`),
  new RegExp(`^[\u2018']${unquoted}[\u2019'] doesn[\u2019']t have label ${quoted}$`),
];

/** The reason that names the only node with the label. */
const namingNode = new RegExp(`^${quoted} is offline$`);

/** The reason that names the label, or the only node with it. */
const namingEither = new RegExp(`^Waiting for next available executor on ${quoted}$`);

/**
 * Reads the label expression of a pipeline's item from the reason why it waits: Jenkins tells it nowhere else. Where
 * exactly one node has the label, the reason names that node instead.
 *
 * @param isNode says whether Jenkins has a node of this name
 * @returns undefined when the reason names neither
 * @see hudson.model.Queue.BuildableItem#getCauseOfBlockage
 */
export function readWhy(why: string, isNode: (name: string) => boolean): Why | undefined {
  // Several reasons, one for each idle node, all name the same label.
  const reasons = why.split('; ');
  for (const pattern of namingLabels) {
    const label = reasons.flatMap((reason) => pattern.exec(reason)?.[1] ?? [])[0];
    if (label !== undefined) return { label };
  }
  const either = namingEither.exec(why)?.[1];
  if (either !== undefined && !isNode(either)) return { label: either };
  const node = either ?? namingNode.exec(why)?.[1];
  return node === undefined ? undefined : { node };
}
