/**
 * How many points a round may use at a CI system with a rate limit: half of what GitHub allows in a minute. A request that
 * reads is one point. The pace of all functions' requests may leave it less: see `request-pace.ts`.
 */
export const mostSentInRound = 450;

/** How many points a request that writes is, by GitHub's documentation. */
export const pointsOfWrite = 5;

/** What the requests of a round are for, and up to which part of its time and requests each may use. Earlier ones come first. */
export const askingShares = { deliveries: 0.3, jobLists: 0.5, runnerLists: 0.7, jobs: 0.9, runners: 1 } as const;

/**
 * How much of the rate limit a round's lists of jobs may use where davit reads the list of deliveries, in minutes of what
 * the rate limit earns: there, they only find what the CI system never tried to deliver.
 */
export const secondNetMinutes = 0.35;
