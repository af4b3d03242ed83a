import type { Config } from '../../core/config/config.ts';
import { type ErrorCode, errorCodes } from '../../core/errors/error-codes.ts';
import { untilMetrics } from '../support/emf-lines.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
const entries = { 'current-context': 'c', contexts: [context], users: [{ name: 'u', user: { token: 'hunter2' } }] };
const cluster = { name: 'c', cluster: { server: 'https://c.example' } };
const program = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws', args: ['hunter2'] } };

/** Each cluster's secret, with an invalid kubeconfig, by the cluster's name. */
const kubeconfigs: Readonly<Record<string, string>> = {
  'no-yaml': 'hunter2: [',
  'no-cluster': JSON.stringify({ ...entries, clusters: [] }),
  'by-program': JSON.stringify({ ...entries, clusters: [cluster], users: [{ name: 'u', user: program }] }),
};

let davit: TestRuntime;
beforeAll(async () => {
  davit = await startTestRuntime({ changeConfig: withWhatIsNotThere });
  for (const configured of davit.config.clusters) {
    const kubeconfig = kubeconfigs[configured.name];
    if (kubeconfig === undefined || !('kubeconfigSecret' in configured)) continue;
    davit.runtime.secrets.put(configured.kubeconfigSecret, kubeconfig);
  }
  davit.cluster.sandbox.store.delete('namespaces', undefined, 'deleted', { propagationPolicy: 'Background' });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

/** Adds a profile for each cluster with an invalid kubeconfig, and one for a namespace that is deleted. */
function withWhatIsNotThere(config: Config): Config {
  const [first] = config.profiles;
  if (first === undefined) throw new Error('the config has no profile');
  const names = Object.keys(kubeconfigs);
  const added = names.map((name) => ({ ...first, name, clusters: [name] }));
  const deleted = { ...first, name: 'deleted', namespace: 'deleted' };
  const clusters = names.map((name) => ({ name, kubeconfigSecret: `davit-kubeconfig-${name}` }));
  return {
    ...config,
    clusters: [...config.clusters, ...clusters],
    profiles: [...config.profiles, ...added, deleted],
  };
}

describe('a launch reports in its record and in the metric Launches', () => {
  test.each<[what: string, profile: string, code: ErrorCode, detail: string]>([
    [
      'text that is not YAML instead of a kubeconfig',
      'no-yaml',
      'KubeconfigInvalid',
      'the kubeconfig in secret davit-kubeconfig-no-yaml: it is no kubeconfig, in YAML or JSON (cluster no-yaml)',
    ],
    [
      'no cluster in a kubeconfig',
      'no-cluster',
      'KubeconfigInvalid',
      'the kubeconfig in secret davit-kubeconfig-no-cluster: its current context names no cluster that is in it (cluster no-cluster)',
    ],
    [
      'a program in a kubeconfig that would print a token',
      'by-program',
      'KubeconfigInvalid',
      'the kubeconfig in secret davit-kubeconfig-by-program: its user has exec: a program; in a Lambda, a token or a certificate has to be in the kubeconfig itself, and `eks` in davit.yaml reaches an EKS cluster (cluster by-program)',
    ],
    ['a missing namespace', 'deleted', 'NamespaceMissing', 'namespaces "deleted" not found'],
  ])('%s', async (_what, profile, code, detail) => {
    const launchId = await davit.launches.request({ profile, jobId: profile });

    const execution = await untilExecutionEnds(davit.runtime, launchId);
    const { ending } = await davit.launches.show(launchId);
    const { means, advice } = errorCodes[code];
    expect(ending).toMatchObject({ outcome: 'failed', code, means, advice });
    expect(ending?.message).toContain(detail);
    expect(ending?.message).not.toContain('hunter2');
    expect(execution.status).toBe('FAILED');
    const [launches] = await untilMetrics(
      davit.stateDirectory,
      ({ name, properties }) => name === 'Launches' && properties['launchId'] === launchId,
      1,
    );
    expect(launches?.dimensions).toContainEqual({ outcome: 'failed', code });
  });
});
