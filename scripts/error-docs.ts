import { type ErrorCodeEntry, type ErrorFamily, errorCodes } from '../core/errors/error-codes.ts';

const families: Record<ErrorFamily, string> = {
  terminal:
    "The launch fails, and davit removes what it created. The code is the execution's error and the `ending.code` of " +
    "`GET /launches/{id}`, and the function's log contains it.",
  pending:
    'The step came too early. Step Functions repeats it until its deadline. Only then does the launch fail, with a code ' +
    'that ends in `DeadlineExceeded`. These codes are in the logs, and in the `signal` of `GET /launches/{id}`.',
  relaunch:
    'Infrastructure took the Pod before the agent had connected. davit tries again under a new agent name, at most ' +
    "the profile's `maxRelaunches` times. After that, the launch fails with the code. With `ClusterAway`, `ClusterFull` and " +
    "`ClusterRefused`, the launch moves to another of its profile's clusters, at most once to each: that is no relaunch.",
  transient:
    'A service or a connection failed for the moment. The step, or the caller, retries a limited number of times, with backoff.',
};

/** Writes a section about each family of error codes, from their table. */
export function errorSections(): string {
  const sections = Object.entries(families).map(([family, does]) => `## ${family}\n\n${does}\n\n${entries(family)}`);
  return sections.join('\n').trimEnd();
}

function entries(family: string): string {
  const codes: [string, ErrorCodeEntry][] = Object.entries(errorCodes);
  return codes
    .filter(([, entry]) => entry.family === family)
    .map(([code, { means, advice }]) => `### ${code}\n\n${means}\n\n**What to do:** ${advice}\n`)
    .join('\n');
}
