/** The prefix of a registration's secret, which shows a leak. */
export const registrationMark = 'runner-secret';

/** The ids of the secrets that signatures are made with. */
export const signingSecrets = { credentials: 'credential-key', webhooks: 'webhook-secret' } as const;

/** The value of an environment variable that a caller gives: only the launch's record and the Pod may hold it. */
export const secretOfJobs = 'job-secret-value';
