/** Assumptions about figures that only AWS can count. docs/cost.md lists them. */
export const assumed = {
  /**
   * Added to each invocation after its time is rounded up to the next tenth of a second. Stands for a share of a
   * processor instead of a whole one, services farther away than loopback, and cold starts (half a second of init, one
   * time in ten).
   */
  addedSeconds: 0.1,
  /** The bytes that Lambda itself logs for an invocation: its start, its end and its report. */
  platformLogBytes: 650,
  /** One line of the API's access log. */
  accessLogBytes: 300,
  /** The bytes that an answer of the API sends to the internet, including headers. */
  answerBytes: 1000,
  /** A token's item, and a launch's when its token is out. */
  tokenBytes: 500,
  /** Read units of a sweep's query of an empty index: half a unit for each status, eventually consistent. */
  emptyQueryUnits: 0.5,
  /** How long a probe of healthy, idle clusters takes: its pause is 8 s. */
  idleProbeSeconds: 8.2,
  /** Its reads, strongly consistent, and its writes of one cluster's state of 1 to 2 KB. */
  idleProbeUnits: { readUnit: 3.5, writeUnit: 2 },
  /** How long a function keeps a secret that it has read. */
  secretSeconds: 300,
  /** How long a launch's record and its token are kept. */
  recordDays: 14,
  /** How long a token for an EKS cluster is used. */
  eksTokenSeconds: 600,
  /** How long a job takes, once its agent has connected. */
  jobSeconds: 600,
  /** How long it takes to publish one change of a batch. */
  publishEventSeconds: 0.02,
  /** How long a healthy API server works on a request. */
  clusterRequestSeconds: 0.02,
  monthDays: 30,
  monthHours: 730,
} as const;
