/** A part of davit's work that came to nothing. */
export interface Trouble {
  /** What it was about; the same each time. */
  subject: string;
  /** Why, in words that may differ each time. @default the subject says it */
  message?: string;
}

/**
 * Says once that something fails, and once that it is over, however often its reports repeat it.
 *
 * @returns takes all troubles of one report; `work` names what reports
 */
export function tellTrouble(say: (line: string) => void): (work: string, troubles: readonly Trouble[]) => void {
  const last = new Map<string, ReadonlySet<string>>();
  return (work, troubles) => {
    const before = last.get(work) ?? new Set();
    const now = new Map(troubles.map(({ subject, message }) => [subject, message]));
    last.set(work, new Set(now.keys()));
    for (const [subject, message] of now) {
      if (!before.has(subject)) say(`${work}: ${message === undefined ? subject : `${subject}: ${message}`}`);
    }
    for (const subject of before) if (!now.has(subject)) say(`${work}: over: ${subject}`);
  };
}
