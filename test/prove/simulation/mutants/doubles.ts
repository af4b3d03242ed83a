import type { PoolLook } from '../../../../core/agent/pool.ts';
import type { DavitError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import type { Cluster, ObjectPort } from '../../../../ports/cluster.ts';
import type { Jobs } from '../../../../ports/jobs.ts';
import type { Launches } from '../../../../ports/launches.ts';
import type { Registrations } from '../../../../ports/registrations.ts';
import type { FunctionName } from '../../../../runtime/function-settings.ts';
import type { SimulatedDeps } from '../../../../simulation/world/davit.ts';
import type { Mutation, World } from '../../../../simulation/world/world.ts';
import { portWith } from '../../../support/port-with.ts';

type ChangeDeps = NonNullable<Mutation['deps']>;
type Davit = Parameters<NonNullable<Mutation['logic']>>[0];

/** Replaces some dependencies of some functions. */
export function onlyIn(
  functionNames: readonly FunctionName[],
  change: (...given: Parameters<ChangeDeps>) => Partial<SimulatedDeps>,
): Mutation {
  return {
    deps: (deps, world, invocation) =>
      functionNames.includes(invocation.functionName) ? { ...deps, ...change(deps, world, invocation) } : deps,
  };
}

/** Replaces errors of PublishToken. @param replace returns undefined for an error that stays */
export function agentErrorsWith(
  replace: (error: unknown, input: Parameters<Davit['publishToken']>[1]) => DavitError | undefined,
): Mutation {
  return {
    logic: (davit) => ({
      ...davit,
      publishToken: async (deps, input) => {
        try {
          return await davit.publishToken(deps, input);
        } catch (error) {
          throw replace(error, input) ?? error;
        }
      },
    }),
  };
}

/** Changes the looks of the previous round, as a reconcile reads them. */
export function looksWith(
  change: (looks: ReadonlyMap<string, PoolLook>, deps: SimulatedDeps, world: World) => ReadonlyMap<string, PoolLook>,
): Mutation {
  return onlyIn(['reconcile'], (deps, world) => ({
    jobs: jobsWith(deps.jobs, {
      readLooks: async (ciSystem) => change(await deps.jobs.readLooks(ciSystem), deps, world),
    }),
  }));
}

/** The launches table with some methods replaced. */
export function launchesWith(launches: Launches, overrides: Partial<Launches>): Launches {
  return {
    request: (record) => launches.request(record),
    get: (launchId) => launches.get(launchId),
    salvage: (launchId) => launches.salvage(launchId),
    getMany: (launchIds) => launches.getMany(launchIds),
    list: (query) => launches.list(query),
    listStandby: (...given) => launches.listStandby(...given),
    noteSignal: (...called) => launches.noteSignal(...called),
    notePodState: (...called) => launches.notePodState(...called),
    noteTimeline: (...called) => launches.noteTimeline(...called),
    clearSignal: (launchId, seenWellAt) => launches.clearSignal(launchId, seenWellAt),
    markConnected: (...called) => launches.markConnected(...called),
    relaunch: (plan, ended) => launches.relaunch(plan, ended),
    end: (...called) => launches.end(...called),
    noteDiagnostics: (launchId, diagnostics) => launches.noteDiagnostics(launchId, diagnostics),
    claimCleanUp: (launchId, atEpochMs, notSince) => launches.claimCleanUp(launchId, atEpochMs, notSince),
    markCleaned: (...called) => launches.markCleaned(...called),
    markLeft: (launchId, left) => launches.markLeft(launchId, left),
    ...overrides,
  };
}

/** The launches table's `getMany`, with each of its records changed. */
export function getManyAs(launches: Launches, change: (record: LaunchRecord) => LaunchRecord): Launches['getMany'] {
  return async (launchIds) => {
    const { records, ...rest } = await launches.getMany(launchIds);
    return { ...rest, records: new Map([...records].map(([id, record]) => [id, change(record)])) };
  };
}

/** A record whose launch, if it has ended, seems to have ended long ago: a sweep leaves to the clean-up what has just ended. */
export function endedLongAgo<Record extends Pick<LaunchRecord, 'ending' | 'requestedAtEpochMs'>>(
  record: Record,
): Record {
  const { ending, requestedAtEpochMs } = record;
  return ending === undefined
    ? record
    : { ...record, ending: { ...ending, atEpochMs: requestedAtEpochMs - 3_600_000 } };
}

/** The launches table's registrations with some methods replaced. */
export function registrationsWith(registrations: Registrations, overrides: Partial<Registrations>): Registrations {
  return {
    standBy: (...given) => registrations.standBy(...given),
    noteRenewal: (...given) => registrations.noteRenewal(...given),
    summon: (...given) => registrations.summon(...given),
    begin: (...given) => registrations.begin(...given),
    take: (...given) => registrations.take(...given),
    complete: (...given) => registrations.complete(...given),
    bind: (...given) => registrations.bind(...given),
    retire: (...given) => registrations.retire(...given),
    noteDeregistered: (...given) => registrations.noteDeregistered(...given),
    ...overrides,
  };
}

/** The jobs table with some methods replaced. */
export function jobsWith(jobs: Jobs, overrides: Partial<Jobs>): Jobs {
  return {
    get: (...given) => jobs.get(...given),
    note: (...given) => jobs.note(...given),
    claimLaunch: (...given) => jobs.claimLaunch(...given),
    noteRanBy: (...given) => jobs.noteRanBy(...given),
    noteNotLaunched: (...given) => jobs.noteNotLaunched(...given),
    noteRepository: (...given) => jobs.noteRepository(...given),
    noteLimited: (...given) => jobs.noteLimited(...given),
    listLimited: (...given) => jobs.listLimited(...given),
    listWaiting: (...given) => jobs.listWaiting(...given),
    getMany: (...given) => jobs.getMany(...given),
    listRepositories: (...given) => jobs.listRepositories(...given),
    readLooks: (...given) => jobs.readLooks(...given),
    keepLook: (...given) => jobs.keepLook(...given),
    ...overrides,
  };
}

/** Makes overrides for the methods of one kind of object. */
export type Override = <View extends { metadata: { uid: string; labels?: Record<string, string> | undefined } }>(
  port: ObjectPort<View>,
) => Partial<ObjectPort<View>>;

/** Dependencies with some methods of the cluster replaced, for every kind of object. */
export function clusterWith(deps: SimulatedDeps, override: Override): SimulatedDeps {
  return {
    ...deps,
    openCluster: async (name) => {
      const { services, pods, ...others }: Cluster = await deps.openCluster(name);
      return { services: portWith(services, override(services)), pods: portWith(pods, override(pods)), ...others };
    },
  };
}

/** Dependencies that pass each observed Pod to a function first, which may throw. */
export function podsObserved(deps: SimulatedDeps, check: (pod: PodView | undefined) => void): SimulatedDeps {
  return {
    ...deps,
    openCluster: async (name) => {
      const cluster = await deps.openCluster(name);
      const pods = portWith(cluster.pods, {
        async *observe(namespace, pod, options) {
          for await (const seen of cluster.pods.observe(namespace, pod, options)) {
            check(seen);
            yield seen;
          }
        },
      });
      return { ...cluster, pods };
    },
  };
}
