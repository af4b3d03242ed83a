/** One rule that the repository must meet. */
export interface Check {
  name: string;
  /** @returns one line per problem; empty when the rule holds */
  findings: () => Promise<string[]>;
}
