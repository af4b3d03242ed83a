/** A quota that launches use up. */
export interface Limit {
  what: string;
  quota: number;
  unit: string;
  /** How much of the quota a steady rate of one launch a second uses. */
  perLaunchASecond: number;
  /** What happens to launches beyond it. */
  beyond: string;
  /** What to raise, and where. */
  raise: string;
}
