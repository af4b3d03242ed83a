import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { labelKeys } from '../../functions/domain/names.ts';
import { agentImages } from '../agent/image.ts';
import type { SandboxCluster } from '../cluster/sandbox-cluster.ts';
import { readConfig } from '../config/read-config.ts';
import { saveKubeconfig, startSandbox } from '../runtime/start-cluster.ts';
import { startRuntime } from '../runtime/start-runtime.ts';
import { untilInterrupted } from '../runtime/until-interrupted.ts';
import { type DemoArguments, demoHelp, readDemoArguments } from './arguments.ts';
import { startCiServer } from './ci-server.ts';
import { createGithubServer, type GithubJob } from './github-server.ts';
import { type LaunchReport, type RunLaunchDeps, runFailure, runLaunch } from './run-launch.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { createScreen } from './screen.ts';
import { showStates } from './show-states.ts';
import { type ClusterCount, showSummary } from './summary.ts';

const patienceMs = 120_000;
const firstJobId = 12_877_621_891; // GitHub's, in the real payload

/** Runs the demo. @returns whether everything went as it should */
async function demo(options: DemoArguments): Promise<boolean> {
  const screen = createScreen(process.stdout, () => performance.now());
  const configPath = fileURLToPath(new URL('../../davit.yaml', import.meta.url));
  const scenario = scenarioOf(await readConfig(configPath), options);
  const stateDirectory = await mkdtemp(join(process.cwd(), '.davit-demo-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(stateDirectory, { recursive: true, force: true }));

  screen.line('davit', 'starts: local runtime, sandbox cluster, no network but the loopback');
  const ci = await startCiServer();
  resources.defer(() => ci.stop());
  const cluster = resources.use(await startSandbox(scenario.config, stateDirectory, { images: agentImages(ci.url) }));
  const given = options.bundles === undefined ? {} : { bundles: options.bundles };
  const runtime = resources.use(await startRuntime({ config: scenario.config, cluster, stateDirectory, ...given }));
  await saveKubeconfig(cluster);
  screen.line('davit', `listens at ${runtime.url}; kubectl --kubeconfig ${cluster.kubeconfigPath} get pods -w`);
  resources.defer(showStates(screen, runtime));

  const deps: RunLaunchDeps = {
    github: createGithubServer(`${runtime.url}/webhooks/github`, await runtime.webhookSecret('github')),
    ci,
    screen,
    davitUrl: runtime.url,
    signal: AbortSignal.timeout(patienceMs + options.launches * 1000),
  };
  const reports = await runJobs(deps, scenario, options);
  const summary = showSummary(screen, reports, countIn(cluster.sandbox), options.keep);
  if (options.keep) {
    screen.heading('\nStaying up until Ctrl-C. The agents run:');
    screen.heading(`  kubectl --kubeconfig ${cluster.kubeconfigPath} get services,pods`);
    screen.heading(`  curl ${runtime.url}/launches`);
    await untilInterrupted();
  }
  return summary;
}

/** Counts what was created, by the requests that the API server took, and what there still is. */
function countIn({ store, faults }: SandboxCluster): ClusterCount {
  const created = (resource: 'services' | 'pods') =>
    faults.requests.filter(({ verb, resource: of, code }) => verb === 'create' && of === resource && code === 201)
      .length;
  const left = (['services', 'pods'] as const).flatMap((resource) =>
    store
      .list(resource)
      .filter(({ metadata }) => metadata.labels?.[labelKeys.managedBy] === 'davit')
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  );
  return { servicesCreated: created('services'), podsCreated: created('pods'), left };
}

/** Runs the jobs, so many at a time. What one throws is its report. */
async function runJobs(
  deps: RunLaunchDeps,
  { labels, failsWith }: Scenario,
  options: DemoArguments,
): Promise<LaunchReport[]> {
  const jobs: GithubJob[] = Array.from({ length: options.launches }, (_, index) => ({
    id: firstJobId + index,
    labels,
  }));
  const reports: LaunchReport[] = [];
  const worker = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const run = failsWith ? runFailure(deps, job, failsWith) : runLaunch(deps, job, options.keep);
      const { id } = job;
      reports.push(await run.catch((error: unknown) => ({ launchId: `job ${id}`, problem: String(error) })));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return reports;
}

try {
  const options = readDemoArguments(process.argv.slice(2));
  if (options === 'help') console.log(demoHelp);
  else process.exitCode = (await demo(options)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
