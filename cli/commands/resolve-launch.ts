import { type ApiClient, answered, problemError } from '../api/client.ts';
import { CliError } from '../cli-error.ts';
import type { Launch } from '../view/timeline.ts';
import { listLaunches } from './list-launches.ts';

/** The most launches among which a prefix is looked for. */
const mostLaunches = 2000;
const mostNamed = 5;

/**
 * Finds a launch by its id, its agent's name, or the beginning of either.
 *
 * @throws CliError `launch-missing` for an empty text; `launch-unknown`; `launch-ambiguous` when several launches begin so
 */
export async function resolveLaunch(api: ApiClient, text: string): Promise<Launch> {
  // Every launch begins with nothing: `davit end "$LAUNCH"` without the variable must not end the only one.
  if (text === '')
    throw new CliError('usage', 'launch-missing', "the launch's id is empty", '`davit list` shows the launches.');
  const answer = await api.GET('/launches/{launchId}', { params: { path: { launchId: text } } });
  if (answer.response.status !== 404) return answered(answer, 'launchId');
  const launches = await listLaunches(api, { limit: mostLaunches });
  const found = launches.filter(({ launchId, agentName }) => launchId.startsWith(text) || agentName.startsWith(text));
  const [only, ...others] = found;
  if (only === undefined) throw problemError(answer.response.status, answer.error);
  if (others.length === 0) return only;
  const named = found.slice(0, mostNamed).map(({ launchId }) => launchId);
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : '';
  const message = `${found.length} launches begin with ${text}: ${named.join(', ')}${more}`;
  throw new CliError('usage', 'launch-ambiguous', message, 'Give more of the id.');
}
