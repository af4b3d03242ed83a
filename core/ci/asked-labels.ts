/** The labels that a job asks for, as its CI system reads them. */
export interface AskedLabels {
  /** Every label that is named, also one that must be absent. */
  labels: readonly string[];
  /** Says whether an agent with these labels may run the job. */
  isMetBy: (offered: ReadonlySet<string>) => boolean;
}

/** Reads a list of labels, all of which an agent must have. */
export function askedOfList(labels: readonly string[]): AskedLabels {
  return { labels, isMetBy: (offered) => labels.every((label) => offered.has(label)) };
}
