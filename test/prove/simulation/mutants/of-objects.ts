import { TerminalError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { SimulatedObjects } from '../../../../simulation/world/cluster-port.ts';
import { clusterWith, launchesWith, onlyIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

const live = (record: LaunchRecord | undefined) => record && { ...record, status: 'launching' as const };

/** Defects of creates and deletes. */
export const objectMutants: readonly Mutant[] = [
  {
    name: 'an object is deleted by its name, whatever its uid',
    seed: 44,
    kinds: ['replacedByOthers', 'deletedByPeople', 'invokedTwice', 'imagePullFails'],
    breaks: '7:',
    mutation: {
      deps: (deps) =>
        clusterWith(deps, (port) => ({
          delete: async (namespace, name) => {
            if (!(port instanceof SimulatedObjects)) throw new TypeError('expected a simulated port');
            await port.deleteByName(namespace, name);
          },
        })),
    },
  },
  {
    name: 'an object that exists is adopted without a look at its label',
    seed: 1,
    kinds: ['nameTaken'],
    breaks: '1:',
    mutation: {
      deps: (deps) =>
        clusterWith(deps, (port) => ({
          create: async (manifest) => {
            const { namespace, name } = manifest.metadata;
            return (await port.create(manifest)) ?? port.get(namespace, name);
          },
        })),
    },
  },
  {
    name: 'a step creates and does not look whether the launch is over',
    seed: 3,
    kinds: ['deletedByPeople', 'slowStart', 'invokedTwice'],
    breaks: '5:',
    mutation: onlyIn(['create-service', 'create-pod'], (deps) => ({
      launches: launchesWith(deps.launches, { get: async (launchId) => live(await deps.launches.get(launchId)) }),
    })),
  },
  {
    name: 'an error quotes the spec that was refused',
    seed: 5,
    kinds: ['clusterUnauthorized'],
    breaks: '8:',
    mutation: {
      deps: (deps) =>
        clusterWith(deps, (port) => ({
          create: async (manifest) => {
            try {
              return await port.create(manifest);
            } catch (error) {
              if (!(error instanceof TerminalError)) throw error;
              throw new TerminalError(error.code, JSON.stringify(manifest.spec));
            }
          },
        })),
    },
  },
  {
    name: 'a Pod is created without its owner',
    seed: 1,
    kinds: ['deletedByPeople'],
    breaks: '1:',
    mutation: {
      deps: (deps) =>
        clusterWith(deps, (port) => ({
          create: (manifest) => {
            const { ownerReferences: _owners, ...metadata } = manifest.metadata;
            return port.create({ ...manifest, metadata });
          },
        })),
    },
  },
  {
    name: 'diagnostics are recorded as the cluster tells them, with their secrets',
    seed: 1,
    kinds: ['containerCrashes', 'agentSlow'],
    breaks: '8:',
    mutation: onlyIn(['clean-up'], (deps, _world, { launchId }) => ({
      launches: launchesWith(deps.launches, {
        noteDiagnostics: async (id, diagnostics) => {
          const env = JSON.stringify((await deps.launches.get(launchId))?.env ?? {});
          await deps.launches.noteDiagnostics(id, { ...diagnostics, log: { container: 'agent', text: env } });
        },
      }),
    })),
  },
];
