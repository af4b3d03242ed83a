/** Assumptions about figures that only AWS can count. docs/cost.md lists them. */
export const assumed = {
  /**
   * Added to each invocation after its time is rounded up to the next tenth of a second. Stands for a share of a
   * processor instead of a whole one, services farther away than loopback, and cold starts (half a second of init, one
   * time in ten).
   */
  addedSeconds: 0.1,
  /**
   * The bytes that Lambda itself logs for an invocation that fails: its end and its report. Lambda logs nothing for the
   * others, because the system log level is WARN.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html#monitoring-cloudwatchlogs-log-level-mapping
   */
  failureLogBytes: 650,
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
  /** How long a reconcile with one idle CI system takes: two requests to it. Its reads, and the bytes that it logs. */
  idleReconcile: { seconds: 0.7, readUnits: 3, logBytes: 1200 },
  /** An entry of an index of keys, with what DynamoDB adds to an item of an index. */
  indexEntryBytes: 200,
  /**
   * Reads and bytes of logs of one run that polls an idle CI system for a minute: each of its 29 polls reads the cursor, and
   * the first one an index that has no waiting jobs.
   */
  idlePoll: { readUnits: 29.5, logBytes: 200 },
  /**
   * The gauges that the sweep and reconcile emit while there are launches and jobs: OldestLaunch, LaunchesInFlight by three
   * statuses, QueuedJobs, IdleAgents and OldestQueuedJob.
   */
  metricsOfSchedulesInUse: 7,
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
