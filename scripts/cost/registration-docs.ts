import { githubTraits } from '../../ci/github/traits.ts';
import { mostOfSlot, registrationsAMinute, slotMs } from '../../core/ci/request-pace.ts';
import { defaultDeadlines } from '../../core/config/profile.ts';
import { markdownTable } from './markdown.ts';

/** When the last agent of a burst was registered, in seconds, and how often agents asked, in all: `test/support/register-burst.ts`. */
const bursts = [
  { agents: 160, lastSeconds: 2, asks: 160 },
  { agents: 200, lastSeconds: 72, asks: 264 },
  { agents: 500, lastSeconds: 184, asks: 2542 },
  { agents: 1000, lastSeconds: 371, asks: 9199 },
  { agents: 1500, lastSeconds: 556, asks: 18_306 },
] as const;

/** Writes how many agents GitHub registers in a minute, and what a burst does. */
export function registrationSection(): string {
  const { requestPoints: points } = githubTraits;
  if (points === undefined) throw new TypeError('GitHub has a limit on the minute');
  const rate = registrationsAMinute(points);
  const ofSlot = mostOfSlot(points, 'registration') / points.ofWrite;
  const deadlineSeconds = defaultDeadlines.connectSeconds;
  const most = Math.floor((deadlineSeconds / 60) * rate);
  const rows = bursts.map(({ agents, lastSeconds, asks }) => [
    agents.toLocaleString('en'),
    `${lastSeconds} s`,
    asks.toLocaleString('en'),
  ]);
  return `## Registrations on GitHub

GitHub allows ${points.aMinute} points in a minute to one credential, beside its requests in an hour: a request that reads is ${points.ofRead} point, one that writes is
${points.ofWrite}. A registration is one that writes. davit registers **${rate} agents a minute**, ${ofSlot} in each ${slotMs / 1000} s, and keeps ${points.keptForReads} points for reads. All
functions take their points from one table, registrations first, then retirements, then what reconcile reads and repeats. GitHub
counts by minutes of its own. Any minute, whenever it begins, touches 21 of those slots, and 21 full ones are 882 points. After a
quiet minute, ${21 * ofSlot} agents at once are registered at once: they take their points from the slots of the next minute.

An agent whose turn has not come gets 503 with \`Retry-After\`: the seconds until its turn, 55 at most, and then it asks again. The launch's
\`signal\` says so. Nothing is launched again, and nothing is lost, as long as the profile's \`connectSeconds\` lasts (${deadlineSeconds} unless it says otherwise):

${markdownTable(['agents that come up within 2 s', 'the last one is registered after', 'questions of agents'], rows)}

So with more than about ${most.toLocaleString('en')} agents at once, the last ones fail by \`ConnectDeadlineExceeded\`, are removed, and are launched again by reconcile while
their jobs wait, which counts against the tries of the job: raise \`connectSeconds\`, or limit the agents (\`maxAgents\`). The figures are of a GitHub that limits as
GitHub documents, in virtual time (\`test/unit/functions/register-runner/burst.test.ts\`); it refused no request. Without the pace, it
refused 226 requests of 200 agents.

Several davits, or other programs, with one credential share its minute, and davit sees only its own. When GitHub refuses all the same,
the function that is told so writes down until when, and all others leave GitHub alone until then.`;
}
