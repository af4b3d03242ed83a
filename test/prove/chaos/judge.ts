import { mostRounds, unsettled, type Violation } from '../../support/unsettled.ts';
import type { AgentHistory, ExecutionHistories, Read } from './history.ts';
import type { Lasting } from './last-faults.ts';
import type { JobRun } from './run-launch.ts';
import type { Settled } from './settle.ts';

/** The observations at the end of a run. */
export interface Evidence {
  runs: readonly JobRun[];
  agents: readonly AgentHistory[];
  executions: Pick<ExecutionHistories, 'of'>;
  lasting: Lasting;
  settled: Omit<Settled, 'sweep'>;
}

/** Finds all violations; empty when every invariant held. */
export function judge({ runs, agents, executions, lasting, settled }: Evidence): Violation[] {
  const { launches, rounds } = settled;
  return [
    ...runs.flatMap(({ launchId, problems }) => problems.map((detail) => ({ launchId, detail }))),
    ...unsettled(settled, lasting.launchIds),
    ...(rounds > mostRounds ? [{ launchId: '', detail: `everything took ${rounds} rounds to come to rest` }] : []),
    ...agents.flatMap((agent) => {
      const { launchId } = agent;
      const readsThatAreWrong = wrongReads(agent, publishingEpochMs(executions, launchId));
      return readsThatAreWrong.map((detail) => ({ launchId, detail: `agent ${agent.agentName} ${detail}` }));
    }),
    ...secondAgents(agents, runs),
    ...endedAgents(agents, launches, lasting),
  ];
}

/** When davit began to publish a launch's token; undefined when davit was restarting then. */
function publishingEpochMs(executions: Evidence['executions'], launchId: string): number | undefined {
  const entered = executions.of(launchId).filter(({ type }) => type === 'entered');
  return entered.find(({ state }) => state === 'PublishToken')?.atEpochMs;
}

/** A token is complete, belongs to its agent, appears only after its publication, and never changes. */
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

/** An agent that got its token has connected. Only its job ends it, as nobody deletes launches, or the loss of its Pod. */
function endedAgents(
  agents: readonly AgentHistory[],
  launches: Settled['launches'],
  { taken }: Evidence['lasting'],
): Violation[] {
  const connected = new Set(
    agents.filter(({ reads }) => reads.some(({ token }) => token !== undefined)).map(({ launchId }) => launchId),
  );
  return [...connected].flatMap((launchId) => {
    const { by, code } = launches.get(launchId)?.ending ?? {};
    if (by === undefined || taken.has(launchId) || by.startsWith('github workflow_job completed')) return [];
    return [{ launchId, detail: `was ended by ${by} after its agent had connected: ${code}` }];
  });
}

/**
 * The killer takes no Pods, and the last faults only those of connected agents, so nothing justifies a second Pod of the same name, or a second agent that gets its token.
 * A launch that moves to another cluster has an agent of another name there. One exception: a cancelled job's Pod may
 * be removed while a killed step is repeated. The repeated step creates another Pod and removes it. At most one of them
 * may get a token.
 */
function secondAgents(agents: readonly AgentHistory[], runs: readonly JobRun[]): Violation[] {
  const cancelled = new Set(runs.filter(({ isCancelled }) => isCancelled).map(({ launchId }) => launchId));
  return [...Map.groupBy(agents, ({ launchId }) => launchId)].flatMap(([launchId, ofLaunch]) => {
    const told = ofLaunch.filter(({ reads }) => reads.some(({ token }) => token !== undefined)).length;
    const ofOneName = [...Map.groupBy(ofLaunch, ({ agentName }) => agentName).values()].map((same) => same.length);
    const counted = cancelled.has(launchId) ? told : Math.max(told, ...ofOneName);
    return counted > 1 ? [{ launchId, detail: `has had ${counted} agents` }] : [];
  });
}
