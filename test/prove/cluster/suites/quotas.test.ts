import { readFile } from 'node:fs/promises';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { change } from '../outcomes/change-object.ts';
import { expectAgent } from '../outcomes/expect-outcome.ts';
import { makeNamespace, makeQuota } from '../outcomes/policed-namespaces.ts';
import { startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const namespace = 'contested';
/** From the answer, as the audit log records it. */
const quotaConflict = 'Operation cannot be fulfilled on resourcequotas';
/** The most launches to try until one meets a conflict: each creates two objects, and usually the first launch does. */
const mostLaunches = 20;
const createMs = 60_000;
const cluster = await openTestCluster();

const davit = await startDavit(cluster, { profiles: { [namespace]: { profile: { namespace } } } });
beforeAll(async () => {
  await makeNamespace(davit.api, namespace);
  await makeQuota(davit.api, namespace, { services: '9', pods: '9' });
});
afterAll(() => davit[Symbol.asyncDispose]());

/** Keeps changing the quota, so that concurrent updates of its usage fail. */
function contest(): AsyncDisposable {
  const over = new AbortController();
  const path = `/api/v1/namespaces/${namespace}/resourcequotas/none`;
  const rivals = Array.from({ length: 8 }, async (_, rival) => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await change(davit.api, path, { metadata: { annotations: { [`rival-${rival}`]: `${round}` } } });
    }
  });
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await Promise.all(rivals);
    },
  };
}

async function isConflicting(launchId: string): Promise<boolean> {
  const lines = (await readFile(cluster.auditLogPath, 'utf8')).split('\n');
  return lines.some((line) => ['"verb":"create"', launchId, quotaConflict].every((part) => line.includes(part)));
}

async function hasPod(launchId: string): Promise<boolean> {
  const path = `/api/v1/namespaces/${namespace}/pods/${agentNameOf(launchId)}`;
  return (await davit.api.send(path)).status === 200;
}

/**
 * Launches until the API server answers a launch's create with a conflict.
 *
 * @returns that launch; undefined when there was none
 */
async function launchUntilConflict(): Promise<string | undefined> {
  for (let number = 1; number <= mostLaunches; number += 1) {
    const launchId = await davit.launches.request({ profile: namespace, jobId: `contested ${number}` });
    await until(
      `launch ${launchId} meets a conflict, or has a Pod`,
      createMs,
      async () => (await isConflicting(launchId)) || (await hasPod(launchId)),
    );
    if (await isConflicting(launchId)) return launchId;
    await davit.launches.end(launchId);
    await davit.launches.until(launchId, 'terminated', 'failed');
  }
  return undefined;
}

test('a launch meets a conflict inside a real API server when other clients keep changing its quota, and works', async () => {
  let launchId: string | undefined;
  {
    await using rivals = new AsyncDisposableStack();
    rivals.use(contest());
    launchId = await launchUntilConflict();
  }

  if (launchId === undefined) throw new Error(`none of ${mostLaunches} launches met a conflict`);
  await expectAgent(davit, launchId);
});
