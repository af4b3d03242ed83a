import { TerminalError } from '../../../../core/errors/errors.ts';
import { SimulatedObjects } from '../../../../simulation/world/cluster-port.ts';
import { getAs, withObjects, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

/** Defects of creates and deletes. */
export const objectMutants: Mutants = {
  'an object is deleted by its name, whatever its uid': {
    world: { seed: 44, kinds: ['replacedByOthers', 'deletedByPeople', 'invokedTwice', 'imagePullFails'], breaks: '7:' },
    mutation: withObjects((port) => ({
      delete: async (namespace, name) => {
        if (!(port instanceof SimulatedObjects)) throw new TypeError('expected a simulated port');
        await port.deleteByName(namespace, name);
      },
    })),
  },
  'an object that exists is adopted without a look at its label': {
    world: { seed: 1, kinds: ['nameTaken'], breaks: '1:' },
    mutation: withObjects((port) => ({
      create: async (manifest) => {
        const { namespace, name } = manifest.metadata;
        return (await port.create(manifest)) ?? port.get(namespace, name);
      },
    })),
  },
  'a step creates and does not look whether the launch is over': {
    world: { seed: 3, kinds: ['deletedByPeople', 'slowStart', 'invokedTwice'], breaks: '5:' },
    mutation: withPortIn(['create-service', 'create-pod'], 'launches', (launches) => ({
      get: getAs(launches, (record) => ({ ...record, status: 'launching' })),
    })),
  },
  'an error quotes the spec that was refused': {
    world: { seed: 5, kinds: ['clusterUnauthorized'], breaks: '8:' },
    mutation: withObjects((port) => ({
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
  'a Pod is created without its owner': {
    world: { seed: 1, kinds: ['deletedByPeople'], breaks: '1:' },
    mutation: withObjects((port) => ({
      create: (manifest) => {
        const { ownerReferences: _owners, ...metadata } = manifest.metadata;
        return port.create({ ...manifest, metadata });
      },
    })),
  },
  'diagnostics are recorded as the cluster tells them, with their secrets': {
    world: { seed: 1, kinds: ['containerCrashes', 'agentSlow'], breaks: '8:' },
    mutation: withPortIn(['clean-up'], 'launches', (launches, { invocation: { launchId } }) => ({
      noteDiagnostics: async (id, diagnostics) => {
        const env = JSON.stringify((await launches.get(launchId))?.env ?? {});
        await launches.noteDiagnostics(id, { ...diagnostics, log: { container: 'agent', text: env } });
      },
    })),
  },
};
