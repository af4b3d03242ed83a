import type { ErrorCodeEntry, ErrorFamily } from '../functions/domain/error-codes.ts';
import { errorCodes } from '../functions/domain/error-codes.ts';

const families: Record<ErrorFamily, string> = {
  terminal:
    "The launch fails, and davit removes what it created. The code is the execution's error, the `ending.code` of " +
    "`GET /launches/{id}`, and in the function's log.",
  pending:
    'Too early. Step Functions repeats the step until its deadline. Only then the launch fails, with a code that ends in ' +
    '`DeadlineExceeded`. Logs have these codes, and the `signal` of `GET /launches/{id}`.',
  relaunch:
    'Infrastructure took the Pod before the agent had connected. davit tries again under a new agent name, at most ' +
    "the profile's `maxRelaunches` times. After that, the launch fails with the code.",
  transient: 'Something on the way failed. The step, or the caller, retries a bounded number of times, with backoff.',
};

/** Writes the document of the error codes, from their table. */
export function errorDocs(): string {
  const sections = Object.entries(families).map(([family, does]) => `## ${family}\n\n${does}\n\n${entries(family)}`);
  return [
    '# Error codes',
    '',
    '<!-- Written by scripts/write-docs.ts from functions/domain/error-codes.ts: change it there. -->',
    '',
    "Every error of davit starts with one of these codes, then says what happened, in the cluster's own words where",
    'there are any, and names what it is about: launch, cluster, namespace, Service, Pod, node, container, image. A code',
    'is stable: alarm on it.',
    '',
    "A failed launch's `diagnostics` in `GET /launches/{id}` have its Pod's latest Events and the end of the log of the",
    "container that failed. Its `signal` is what it waits for: one of these codes, or a word of the cluster's own, such as",
    '`Unschedulable`, `SchedulingGated` or `FailedMount`.',
    '',
    sections.join('\n'),
  ].join('\n');
}

function entries(family: string): string {
  const codes: [string, ErrorCodeEntry][] = Object.entries(errorCodes);
  return codes
    .filter(([, entry]) => entry.family === family)
    .map(([code, { means, advice }]) => `### ${code}\n\n${means}\n\n**What to do:** ${advice}\n`)
    .join('\n');
}
