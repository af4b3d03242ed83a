/** The reason why a scenario was not possible: what it needs. */
export interface NotRun {
  needs: string;
}
