/** Something that there is so much of and no more. */
export interface Limit {
  what: string;
  quota: number;
  unit: string;
  /** How much of it one launch a second takes, for as long as there is one each second. */
  perLaunchASecond: number;
  /** What happens to launches beyond it. */
  beyond: string;
  /** What to raise, and where. */
  raise: string;
}
