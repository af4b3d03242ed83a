import { cpuAsked } from '../world/ci-queue.ts';
import { mostCpu } from '../world/profiles.ts';
import type { Evidence, Invariant } from './evidence.ts';

/** Invariant 13 of docs/invariants.md: by the Pods that came up, and not by what davit says of them. */
export const sizesKept: Invariant = {
  name: '13: a job runs on an agent of the size that it asks for, and nothing is above a maximum',
  *check(evidence) {
    const { server } = evidence.run.world.queue;
    const labelsOf = new Map(server.jobs.map((job) => [server.nameOf(job), job.labels]));
    for (const { launchId, name, cpu } of evidence.of('created')) {
      if (cpu !== undefined && Number(cpu) > mostCpu)
        yield `${name} of ${launchId} has ${cpu} cores of at most ${mostCpu}`;
    }
    for (const { launchId, job } of evidence.of('handedOut')) {
      const asked = cpuAsked(labelsOf.get(job) ?? []);
      if (launchId === undefined || asked === 0) continue;
      for (const { name, cpu = '0' } of podsOf(evidence, launchId)) {
        if (Number(cpu) !== asked) yield `${job} asks for ${asked} cores, and ${name} has ${cpu}`;
      }
    }
    for (const { launchId, from } of evidence.of('recorded')) {
      const asked = cpuAsked(labelsOf.get(launchId.replace(/-x\d+$/, '')) ?? []);
      if (from === undefined && asked > mostCpu && evidence.planOf(launchId) !== undefined) {
        yield `${launchId} asks for ${asked} cores of at most ${mostCpu}, and is launched`;
      }
    }
  },
};

function podsOf(evidence: Evidence, launchId: string) {
  return evidence.objectsOf(launchId).flatMap(({ created }) => (created.object === 'Pod' ? [created] : []));
}
