/** Something that the protocol does not allow, in what was seen. */
export interface Finding {
  /** The record that it is about: `launch gitea-1-2-1`. */
  subject: string;
  rule: string;
  /** What was seen instead. */
  seen: string;
  /** The line of the file, counted from 1. */
  line: number;
}
