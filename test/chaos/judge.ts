import type { AgentHistory, ExecutionHistories, Read } from './history.ts';
import type { JobRun } from './run-launch.ts';
import { isOver, type Settled } from './settle.ts';

/** Something that is not as it has to be. */
export interface Violation {
  launchId: string;
  detail: string;
}

/** All that is known at the end. */
export interface Evidence {
  runs: readonly JobRun[];
  agents: readonly AgentHistory[];
  executions: Pick<ExecutionHistories, 'of'>;
  settled: Pick<Settled, 'launches' | 'left'>;
}

/** Says everything that is not as it has to be; nothing when all of it held. */
export function judge({ runs, agents, executions, settled }: Evidence): Violation[] {
  const { launches, left } = settled;
  return [
    ...runs.flatMap(({ launchId, problems }) => problems.map((detail) => ({ launchId, detail }))),
    ...runs.flatMap(({ launchId }) => {
      const launch = launches.get(launchId);
      return isOver(launch) ? [] : [{ launchId, detail: `has no ending: it is ${launch?.status ?? 'unknown'}` }];
    }),
    ...left.map(({ launchId, detail }) => ({ launchId, detail: `${detail} is left after the sweep` })),
    ...agents.flatMap((agent) => {
      const { launchId } = agent;
      const readsThatAreWrong = wrongReads(agent, publishingEpochMs(executions, launchId));
      return readsThatAreWrong.map((detail) => ({ launchId, detail: `agent ${agent.agentName} ${detail}` }));
    }),
    ...secondAgents(agents, runs),
    ...endedAgents(agents, launches),
  ];
}

/** When davit began to publish a launch's token; undefined where that was not heard, as davit came up again. */
function publishingEpochMs(executions: Evidence['executions'], launchId: string): number | undefined {
  const entered = executions.of(launchId).filter(({ type }) => type === 'TaskStateEntered');
  return entered.find(({ state }) => state === 'PublishToken')?.atEpochMs;
}

/** A token is the agent's own, whole, not there before it was published, and stays what it was. */
function wrongReads({ launchId, agentName, reads }: AgentHistory, publishedEpochMs: number | undefined): string[] {
  const told = reads.filter(({ token }) => token !== undefined);
  const addresses = new Set(told.map(addressIn));
  const firstTold = reads.findIndex(({ token }) => token !== undefined);
  return [
    ...reads.flatMap(({ incomplete }) =>
      incomplete === undefined ? [] : [`was told ${incomplete}, which is no token`],
    ),
    ...told.flatMap(({ token, atEpochMs }) => [
      ...(token?.agentName === agentName && token.launchId === launchId
        ? []
        : [`was told the token of ${token?.agentName}`]),
      ...(publishedEpochMs === undefined || atEpochMs >= publishedEpochMs
        ? []
        : ['was told its token before it was published']),
    ]),
    ...told.flatMap((read) =>
      read.isAt === undefined || read.isAt === addressIn(read)
        ? []
        : [`was told ${addressIn(read)}, and is at ${read.isAt}`],
    ),
    ...(addresses.size > 1 ? [`was told ${[...addresses].join(', then ')}`] : []),
    ...(firstTold !== -1 && reads.slice(firstTold).some(({ status }) => status === 401)
      ? ['was told its token, and then that it is not itself']
      : []),
  ];
}

const addressIn = ({ token }: Read): string => `${token?.host}:${token?.port}`;

/** An agent that was told its token has connected. Here only its job ends it: nobody deletes launches, no node is lost. */
function endedAgents(agents: readonly AgentHistory[], launches: Settled['launches']): Violation[] {
  const connected = new Set(
    agents.filter(({ reads }) => reads.some(({ token }) => token !== undefined)).map(({ launchId }) => launchId),
  );
  return [...connected].flatMap((launchId) => {
    const { by, code } = launches.get(launchId)?.ending ?? {};
    if (by === undefined || by.startsWith('github workflow_job completed')) return [];
    return [{ launchId, detail: `was ended by ${by} after its agent had connected: ${code}` }];
  });
}

/**
 * Nothing that is killed takes a Pod: there is no reason for a second one. But one of a job that was cancelled may be
 * removed while a step that died is repeated, which makes another and removes it; none of them may be told anything.
 */
function secondAgents(agents: readonly AgentHistory[], runs: readonly JobRun[]): Violation[] {
  const cancelled = new Set(runs.filter(({ isCancelled }) => isCancelled).map(({ launchId }) => launchId));
  return [...Map.groupBy(agents, ({ launchId }) => launchId)].flatMap(([launchId, ofLaunch]) => {
    const told = ofLaunch.filter(({ reads }) => reads.some(({ token }) => token !== undefined));
    const counted = cancelled.has(launchId) ? told : ofLaunch;
    return counted.length > 1 ? [{ launchId, detail: `has had ${counted.length} agents` }] : [];
  });
}
