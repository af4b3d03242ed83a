import { type CiRunner, CiScope, type RepositoryName } from '../../core/ci/ci-scope.ts';
import { isRepositoryOf } from '../../core/ci/repository-glob.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { ListedRunner, NewRunner, RunnerRemoval } from '../../ports/ci-system.ts';
import { createAgedCache } from '../../runtime/aged-cache.ts';
import { extentOf, readOverlapping } from '../overlapping-pages.ts';
import { scopePath } from '../scope-path.ts';
import type { Github } from './github.ts';
import { type GithubApi, pageSize } from './github-api.ts';

/** For how long a runner group that was checked counts as it was, in milliseconds. */
const groupMaxAgeMs = 5 * 60_000;
const longestRunnerName = 64;

const Runner = z.object({ id: z.int(), name: z.string() });
const ListedRunnerBody = z.object({ id: z.int(), name: z.string(), busy: z.optional(z.boolean()) });
const Runners = z.object({ total_count: z.int(), runners: z.array(ListedRunnerBody) });
const Group = z.object({ id: z.int(), name: z.string(), visibility: z.string() });
const Groups = z.object({ total_count: z.int(), runner_groups: z.array(Group) });
const GroupRepositories = z.object({
  total_count: z.int(),
  repositories: z.array(z.object({ full_name: z.string() })),
});
const GroupWanted = z.object({
  scope: CiScope,
  group: z.optional(z.string()),
  repositories: z.optional(z.array(z.string())),
});
const RegistrationToken = z.object({ token: z.string().check(z.minLength(1)) });
const JitConfig = z.object({ runner: Runner, encoded_jit_config: z.string() });

type OfRunners =
  | 'register'
  | 'removeIfIdle'
  | 'getRunner'
  | 'runnersNamed'
  | 'findRunners'
  | 'runnersOnPage'
  | 'registrationToken'
  | 'checkGroup';

/** Registers runners, finds and removes them. @see https://docs.github.com/en/rest/actions/self-hosted-runners */
export function githubRunners({ name, call, read, readAll, parse }: GithubApi): Pick<Github, OfRunners> {
  async function readRunners(scope: CiScope, limit: number, page: number) {
    const parameters = { per_page: limit, page };
    const { runners, total_count: total } = await read(`GET ${runnersOf(scope)}`, scope, Runners, parameters);
    return { items: runners, total };
  }

  async function listRunners(scope: CiScope): Promise<CiRunner[]> {
    const { items } = await readOverlapping(pageSize, (limit, page) => readRunners(scope, limit, page));
    return items.map(({ id, name: runnerName }) => ({ id, name: runnerName }));
  }

  /** A registration asks nothing but to register: each costs 5 of the 900 points that GitHub allows in a minute. */
  const groupIds = createAgedCache<number>({
    load: async (key) => {
      const { scope, ...wanted } = GroupWanted.parse(JSON.parse(key));
      return groupIdOf(scope, present(wanted));
    },
    maxAgeMs: groupMaxAgeMs,
    nowEpochMs: Date.now,
  });

  /** GitHub's default group has the id 1. */
  async function groupIdOf(
    scope: CiScope,
    { group, repositories }: Pick<NewRunner, 'group' | 'repositories'>,
  ): Promise<number> {
    if (group === undefined || 'repository' in scope) return 1;
    const route = `GET ${scopePath(scope)}/actions/runner-groups`;
    const groups = await readAll(route, scope, Groups, (page) => page.runner_groups);
    const found = groups.find((candidate) => candidate.name === group);
    if (found === undefined) {
      throw new TerminalError('CiRefused', `${name}: ${scope.organization} has no runner group ${group}`);
    }
    if (repositories !== undefined) await checkGroup(scope, found, repositories);
    return found.id;
  }

  /** @throws TerminalError CiRefused for a group that is open to repositories outside of the globs */
  async function checkGroup(
    scope: CiScope,
    { id, name: group, visibility }: z.infer<typeof Group>,
    repositories: readonly string[],
  ): Promise<void> {
    const allowed = `the profile's repositories are ${repositories.join(', ')}`;
    if (visibility !== 'selected') {
      const open = visibility === 'private' ? 'all private repositories' : 'all repositories';
      throw new TerminalError('CiRefused', `${name}: the runner group ${group} is open to ${open}, and ${allowed}`);
    }
    const route = `GET ${scopePath(scope)}/actions/runner-groups/${id}/repositories`;
    const selected = await readAll(route, scope, GroupRepositories, (page) => page.repositories);
    const stranger = selected.find(({ full_name: text }) => !isRepositoryOf(repositories, repositoryNamed(text)));
    if (stranger === undefined) return;
    const detail = `the runner group ${group} is open to ${stranger.full_name}, too, and ${allowed}`;
    throw new TerminalError('CiRefused', `${name}: ${detail}`);
  }

  async function makeJitConfig(scope: CiScope, runner: NewRunner, groupId: number) {
    const route = `POST ${runnersOf(scope)}/generate-jitconfig`;
    const body = { name: runner.name, runner_group_id: groupId, labels: runner.labels, work_folder: '_work' };
    const { status, data } = await call(route, scope, body, [409]);
    return status === 409 ? undefined : parse(route, JitConfig, data);
  }

  async function removeIfIdle(scope: CiScope, runnerId: number): Promise<RunnerRemoval> {
    const route = `DELETE ${runnersOf(scope)}/${runnerId}`;
    const { status } = await call(route, scope, {}, [404, 422]);
    // GitHub also answers 404 for things that it hides. So a runner is gone only if davit can see its neighbours.
    if (status === 404) {
      await call(`GET ${runnersOf(scope)}`, scope, { per_page: 1 });
      return 'gone';
    }
    return status === 422 ? 'busy' : 'removed';
  }

  async function getRunner(scope: CiScope, runnerId: number): Promise<CiRunner | undefined> {
    const route = `GET ${runnersOf(scope)}/${runnerId}`;
    const { status, data } = await call(route, scope, {}, [404]);
    if (status !== 404) return parse(route, Runner, data);
    // As for a removal: a runner is gone only if davit can see its neighbours.
    await call(`GET ${runnersOf(scope)}`, scope, { per_page: 1 });
    return undefined;
  }

  return {
    register: async (scope, runner) => {
      const { group, repositories } = runner;
      if (runner.name.length > longestRunnerName) {
        throw new TerminalError('CiRefused', `${name}: ${runner.name} is longer than ${longestRunnerName} characters`);
      }
      const groupId = await groupIds.get(JSON.stringify({ scope, group, repositories }));
      const made = await makeJitConfig(scope, runner, groupId);
      if (made === undefined) throw new TransientError('WriteConflict', `${name}: a runner ${runner.name} exists`);
      return { runner: made.runner, environment: { ACTIONS_RUNNER_INPUT_JITCONFIG: made.encoded_jit_config } };
    },
    removeIfIdle,
    getRunner,
    runnersNamed: async (scope, runnerName) => {
      // An Enterprise Server of an older version ignores the filter.
      const filter = { name: runnerName, per_page: pageSize };
      const { runners, total_count: total } = await read(`GET ${runnersOf(scope)}`, scope, Runners, filter);
      const found = total > runners.length ? await listRunners(scope) : runners;
      return found.filter((runner) => runner.name === runnerName).map(({ id }) => ({ id, name: runnerName }));
    },
    findRunners: async (scope, namePrefix) => {
      return (await listRunners(scope)).filter((runner) => runner.name.startsWith(namePrefix));
    },
    runnersOnPage: async (scope, namePrefix, page) => {
      const list = await readRunners(scope, pageSize, page);
      const runners = list.items.filter((runner) => runner.name.startsWith(namePrefix));
      return { runners: runners.map(listedRunnerOf), ...extentOf(list, page) };
    },
    registrationToken: async (scope) =>
      (await read(`POST ${runnersOf(scope)}/registration-token`, scope, RegistrationToken)).token,
    checkGroup: async (scope, runner) => {
      await groupIdOf(scope, runner);
    },
  };
}

function listedRunnerOf({ id, name, busy }: z.infer<typeof ListedRunnerBody>): ListedRunner {
  return { id, name, ...present({ isBusy: busy }) };
}

function repositoryNamed(text: string): RepositoryName {
  const [owner = '', name = ''] = text.split('/');
  return { owner, name };
}

function runnersOf(scope: CiScope): string {
  return `${scopePath(scope)}/actions/runners`;
}
