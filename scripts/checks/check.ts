/** Something that must hold of the repository. */
export interface Check {
  name: string;
  /** @returns what is wrong, a line each; none when it holds */
  findings: () => Promise<string[]>;
}
