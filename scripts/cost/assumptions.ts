/** What can be counted nowhere but on AWS, assumed, and said in docs/cost.md. */
export const assumed = {
  /**
   * Added to each invocation, after it was rounded up to the next tenth of a second: a share of a processor in place of a
   * whole one, services that are farther away than loopback, and cold starts (an init of half a second, one time in ten).
   */
  addedSeconds: 0.1,
  /** What Lambda itself writes to a function's log for an invocation: its start, its end and its report. */
  platformLogBytes: 650,
  /** One line of the API's access log. */
  accessLogBytes: 300,
  /** What a request to the API sends to the internet, headers included. */
  answerBytes: 1000,
  /** A token's item, and a launch's when its token is out. */
  tokenBytes: 500,
  /** What a sweep reads of an index in which there is nothing: half a unit for each status, eventually consistent. */
  emptyQueryUnits: 0.5,
  /** How long a function keeps a secret that it has read. */
  secretSeconds: 300,
  /** How long a launch's record and its token are kept. */
  recordDays: 14,
  /** How long a token for an EKS cluster is used. */
  eksTokenSeconds: 600,
  /** How long a job takes, once its agent has connected. */
  jobSeconds: 600,
  /** How long it takes to tell of one change, in a batch of them. */
  publishEventSeconds: 0.02,
  /** How long an API server that is well works on a request. */
  clusterRequestSeconds: 0.02,
  monthDays: 30,
  monthHours: 730,
} as const;
