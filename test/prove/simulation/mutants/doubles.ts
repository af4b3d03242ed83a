import type { PoolLook } from '../../../../core/agent/pool.ts';
import type { DavitError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import type { Cluster, ObjectPort } from '../../../../ports/cluster.ts';
import type { Launches } from '../../../../ports/launches.ts';
import type { FunctionName } from '../../../../runtime/function-settings.ts';
import type { SimulatedDeps } from '../../../../simulation/world/davit.ts';
import type { Mutation, World } from '../../../../simulation/world/world.ts';
import { portWith } from '../../../support/port-with.ts';

type ChangeDeps = NonNullable<Mutation['deps']>;
type Davit = Parameters<NonNullable<Mutation['logic']>>[0];

/** Where a port is replaced. */
interface Given {
  deps: SimulatedDeps;
  world: World;
  invocation: Parameters<ChangeDeps>[2];
}

/** The ports of which a mutant may replace methods. */
type PortName =
  | 'launches'
  | 'registrations'
  | 'jobs'
  | 'slots'
  | 'clusterStates'
  | 'tokens'
  | 'credentials'
  | 'executions'
  | 'lost'
  | 'ciClocks';
type ChangePort<Name extends PortName> = (port: SimulatedDeps[Name], given: Given) => Partial<SimulatedDeps[Name]>;
type ChangeCi = (ci: CiSystem, given: Given) => Partial<CiSystem>;

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

/** Replaces some methods of a port. */
export function withPort<Name extends PortName>(name: Name, change: ChangePort<Name>): { deps: ChangeDeps } {
  return {
    deps: (deps, world, invocation) => ({
      ...deps,
      [name]: portWith(deps[name], change(deps[name], { deps, world, invocation })),
    }),
  };
}

/** Replaces some methods of a port of some functions. */
export function withPortIn<Name extends PortName>(
  functionNames: readonly FunctionName[],
  name: Name,
  change: ChangePort<Name>,
): Mutation {
  return onlyIn(functionNames, withPort(name, change).deps);
}

/** Replaces some methods of each CI system. */
export function withCi(change: ChangeCi): { deps: ChangeDeps } {
  return {
    deps: (deps, world, invocation) => ({
      ...deps,
      ciSystemOf: (name) => {
        const ci = deps.ciSystemOf(name);
        return { ...ci, ...change(ci, { deps, world, invocation }) };
      },
    }),
  };
}

/** Replaces some methods of each CI system, for some functions. */
export function withCiIn(functionNames: readonly FunctionName[], change: ChangeCi): Mutation {
  return onlyIn(functionNames, withCi(change).deps);
}

/** Replaces one function of davit's logic. @param change receives the function as it is */
export function withLogic<Name extends keyof Davit>(name: Name, change: (own: Davit[Name]) => Davit[Name]): Mutation {
  return { logic: (davit) => ({ ...davit, [name]: change(davit[name]) }) };
}

/** Replaces some ports of each cluster that is opened. */
export function openingWith(
  { openCluster }: Pick<SimulatedDeps, 'openCluster'>,
  change: (cluster: Cluster) => Partial<Cluster>,
): Pick<SimulatedDeps, 'openCluster'> {
  return {
    openCluster: async (name) => {
      const cluster = await openCluster(name);
      return { ...cluster, ...change(cluster) };
    },
  };
}

/** Replaces errors of PublishToken. @param replace returns undefined for an error that stays */
export function agentErrorsWith(
  replace: (error: unknown, input: Parameters<Davit['publishToken']>[1]) => DavitError | undefined,
): Mutation {
  return withLogic('publishToken', (publishToken) => async (deps, input) => {
    try {
      return await publishToken(deps, input);
    } catch (error) {
      throw replace(error, input) ?? error;
    }
  });
}

/** Changes the looks of the previous round, as a reconcile reads them. */
export function looksWith(
  change: (looks: ReadonlyMap<string, PoolLook>, world: World) => ReadonlyMap<string, PoolLook>,
): Mutation {
  return withPortIn(['reconcile'], 'jobs', (jobs, { world }) => ({
    readLooks: async (ciSystem) => change(await jobs.readLooks(ciSystem), world),
  }));
}

/** Changes each record that the launches table's `getMany` returns. */
export function manyReadAs(
  functionNames: readonly FunctionName[],
  change: (record: LaunchRecord, given: Given) => LaunchRecord,
): Mutation {
  return withPortIn(functionNames, 'launches', (launches, given) => ({
    getMany: getManyAs(launches, (record) => change(record, given)),
  }));
}

/** The launches table's `getMany`, with each of its records changed. */
export function getManyAs(launches: Launches, change: (record: LaunchRecord) => LaunchRecord): Launches['getMany'] {
  return async (launchIds) => {
    const { records, ...rest } = await launches.getMany(launchIds);
    return { ...rest, records: new Map([...records].map(([id, record]) => [id, change(record)])) };
  };
}

/** The launches table's `get`, with the record changed. */
export function getAs(launches: Launches, change: (record: LaunchRecord) => LaunchRecord): Launches['get'] {
  return async (launchId) => {
    const record = await launches.get(launchId);
    return record && change(record);
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

/** Makes overrides for the methods of one kind of object. */
export type Override = <View extends { metadata: { uid: string; labels?: Record<string, string> | undefined } }>(
  port: ObjectPort<View>,
) => Partial<ObjectPort<View>>;

/** Dependencies with some methods of the cluster replaced, for every kind of object. */
export function clusterWith(deps: SimulatedDeps, override: Override): SimulatedDeps {
  const change = ({ services, pods }: Cluster) => ({
    services: portWith(services, override(services)),
    pods: portWith(pods, override(pods)),
  });
  return { ...deps, ...openingWith(deps, change) };
}

/** Replaces some methods of the cluster for every function, and every kind of object. */
export function withObjects(override: Override): Mutation {
  return { deps: (deps) => clusterWith(deps, override) };
}

/** Dependencies that pass each observed Pod to a function first, which may throw. */
export function podsObserved(deps: SimulatedDeps, check: (pod: PodView | undefined) => void): SimulatedDeps {
  const change = ({ pods }: Cluster) => ({
    pods: portWith(pods, {
      async *observe(namespace, pod, options) {
        for await (const seen of pods.observe(namespace, pod, options)) {
          check(seen);
          yield seen;
        }
      },
    }),
  });
  return { ...deps, ...openingWith(deps, change) };
}
