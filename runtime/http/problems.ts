/** One kind of problem: its HTTP status, its title, and what the caller can do. */
export interface ProblemEntry {
  status: number;
  title: string;
  advice: string;
}

/**
 * Every problem of the HTTP API, named here and nowhere else. A slug is stable: it ends the problem's `type`, which
 * callers compare.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export const problems = {
  'body-malformed': {
    status: 400,
    title: 'The body cannot be read',
    advice: 'Send JSON in UTF-8; a webhook of GitHub or Gitea needs the content type application/json.',
  },
  'request-invalid': {
    status: 400,
    title: 'The request is not what this route takes',
    advice: 'Correct what the detail names; errors lists every problem.',
  },
  'profile-unknown': {
    status: 400,
    title: 'There is no such profile',
    advice: 'Use a profile of davit.yaml, as it was when davit was deployed.',
  },
  'signature-refused': {
    status: 401,
    title: 'The signature is missing or wrong',
    advice: 'Give the CI server the same webhook secret that davit.yaml names.',
  },
  'credential-refused': {
    status: 401,
    title: 'The credential is missing or not accepted',
    advice: "Send the agent's DAVIT_CREDENTIAL to its DAVIT_CONNECT_URL, both unchanged.",
  },
  'route-unknown': { status: 404, title: 'There is no such route', advice: 'Check the method and the path.' },
  'ci-system-unknown': {
    status: 404,
    title: 'davit knows no CI system of this name',
    advice: 'Add the CI system to ciSystems in davit.yaml, by the name that ends the URL of its webhooks.',
  },
  'webhooks-not-taken': {
    status: 404,
    title: 'davit takes no webhooks of this CI system',
    advice: 'Remove the webhook, or name its secret in davit.yaml: webhookSecret.',
  },
  'cluster-unknown': {
    status: 404,
    title: 'There is no such cluster',
    advice: 'Use the name of a cluster of davit.yaml: clusters lists them.',
  },
  'launch-unknown': {
    status: 404,
    title: 'There is no such launch',
    advice: 'Check the id; davit forgets a launch after 14 days.',
  },
  'launch-conflict': {
    status: 409,
    title: 'This job has a launch of another profile',
    advice: 'Use one job id for one job. To change the profile, end the other launch and take a new job id.',
  },
  'agents-limited': {
    status: 429,
    title: 'There are as many agents as the profile may have',
    advice: "Ask again after Retry-After, or raise the profile's maxAgents.",
  },
  'launch-over': { status: 410, title: 'The launch is over', advice: 'The agent has nothing to do any more: exit.' },
  'body-too-large': { status: 413, title: 'The body is over 1 MiB', advice: 'Send less.' },
  unexpected: {
    status: 500,
    title: 'davit failed in an unknown way',
    advice: "Look for the request id in the function's log, and report it.",
  },
  'token-pending': {
    status: 503,
    title: "The agent's address is not known yet",
    advice: 'Ask again after Retry-After. Any client that honours the header is a correct agent.',
  },
  'registration-pending': {
    status: 503,
    title: 'The agent is not registered at its CI system yet',
    advice: "Ask again after Retry-After. If it lasts, the detail has the CI system's words, and so has the launch.",
  },
  'standing-by': {
    status: 503,
    title: 'The agent stands by: no job waits for it yet',
    advice:
      'Ask again after Retry-After, for as long as the agent lives. davit holds each request for up to 20 s, and answers at once when there is a job.',
  },
  unavailable: {
    status: 503,
    title: 'A service that davit needs did not answer',
    advice: 'Repeat the request after Retry-After: repeating is safe.',
  },
} as const satisfies Record<string, ProblemEntry>;

/** The last part of a problem's `type`. */
export type ProblemSlug = keyof typeof problems;

/** The beginning of a problem's `type`. */
export const problemTypeBase = 'https://davit.dev/problems/';
