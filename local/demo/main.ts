import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../config/read-config.ts';
import type { Config } from '../../functions/domain/config.ts';
import { agentImages } from '../agent/image.ts';
import { inContainers } from '../agent/in-containers.ts';
import {
  type LocalCluster,
  type SandboxedCluster,
  saveKubeconfig,
  startSandbox,
  useKubeconfig,
} from '../runtime/start-cluster.ts';
import { startRuntime } from '../runtime/start-runtime.ts';
import { untilInterrupted } from '../runtime/until-interrupted.ts';
import { type DemoArguments, demoHelp, readDemoArguments } from './arguments.ts';
import { type CiServer, startCiServer } from './ci-server.ts';
import { startCount } from './cluster-count.ts';
import { createGithubServer, type GithubJob } from './github-server.ts';
import { type LaunchReport, type RunLaunchDeps, runFailure, runLaunch } from './run-launch.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { createScreen } from './screen.ts';
import { showStates } from './show-states.ts';
import { showSummary } from './summary.ts';

const patienceMs = 120_000;
const firstJobId = 12_877_621_891; // the id in GitHub's real payload

/** Runs the demo. @returns whether everything went as expected */
async function demo(options: DemoArguments): Promise<boolean> {
  const screen = createScreen(process.stdout, () => performance.now());
  const configPath = fileURLToPath(new URL('../../davit.yaml', import.meta.url));
  const scenario = scenarioOf(await readConfig(configPath), options);
  const stateDirectory = await mkdtemp(join(process.cwd(), '.davit-demo-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(stateDirectory, { recursive: true, force: true }));

  const { bundles, listen } = options;
  const ci = await startCiServer(listen === undefined ? {} : { listen });
  resources.defer(() => ci.stop());
  const { cluster, config } = await openCluster(options, scenario.config, ci, stateDirectory);
  if ('sandbox' in cluster) resources.use(cluster);
  screen.line(
    'davit',
    `starts: local runtime, ${'sandbox' in cluster ? 'sandbox cluster, no network but the loopback' : options.kubeconfig}`,
  );
  const given = {
    ...(bundles === undefined ? {} : { bundles }),
    ...(listen === undefined ? {} : { listen: { host: listen } }),
  };
  const runtime = resources.use(await startRuntime({ config, cluster, stateDirectory, ...given }));
  if ('sandbox' in cluster) await saveKubeconfig(cluster);
  const count = resources.use(await startCount(cluster));
  screen.line('davit', `listens at ${runtime.url}; kubectl --kubeconfig ${cluster.kubeconfigPath} get pods -w`);
  resources.defer(showStates(screen, runtime));

  const deps: RunLaunchDeps = {
    github: createGithubServer(`${runtime.url}/webhooks/github`, await runtime.webhookSecret('github')),
    ci,
    screen,
    davitUrl: runtime.url,
    launchesToken: runtime.launchesToken,
    signal: AbortSignal.timeout(patienceMs + options.launches * 1000),
  };
  const reports = await runJobs(deps, scenario, options);
  const summary = showSummary(screen, reports, await count.end(reports), options.keep);
  if (options.keep) {
    screen.heading('\nStaying up until Ctrl-C. The agents run:');
    screen.heading(`  kubectl --kubeconfig ${cluster.kubeconfigPath} get services,pods`);
    screen.heading(`  curl -H 'Authorization: Bearer ${runtime.launchesToken}' ${runtime.url}/launches`);
    await untilInterrupted();
  }
  return summary;
}

/** Opens the cluster in which the agents run, and adapts the config to it. */
async function openCluster(
  { kubeconfig }: DemoArguments,
  config: Config,
  ci: CiServer,
  stateDirectory: string,
): Promise<{ cluster: LocalCluster | SandboxedCluster; config: Config }> {
  if (kubeconfig !== undefined) {
    return { cluster: await useKubeconfig(kubeconfig), config: inContainers(config, ci.url) };
  }
  return { cluster: await startSandbox(config, stateDirectory, { images: agentImages(ci.url) }), config };
}

/** Runs the jobs with limited concurrency. A job that throws becomes a failed report. */
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

// Only this user can read the files and directories of a run, from their creation on.
process.umask(0o077);
try {
  const options = readDemoArguments(process.argv.slice(2));
  if (options === 'help') console.log(demoHelp);
  else process.exitCode = (await demo(options)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
