/** A quota that launches use up. */
export interface Limit {
  what: string;
  quota: number;
  unit: string;
  /** How much of the quota a steady rate of one launch a second uses. */
  perLaunchASecond: number;
  /** The fate of launches beyond it. */
  beyond: string;
  raise: string;
}
