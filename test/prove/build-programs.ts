/** Builds the other sides of the proofs before they run, so that no proof's time is spent on a build. */
import { buildGitea } from './ci/gitea/build-gitea.ts';
import { buildHudson } from './ci/hudson/build-hudson.ts';
import { buildActRunner, buildBuildkiteAgent, buildHelm, buildPrograms } from './cluster/programs/programs.ts';

const startedMs = performance.now();

function say(text: string): void {
  process.stdout.write(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(6)} s  ${text}\n`);
}

// One after another: each build uses every processor.
await buildPrograms(say);
await buildHelm(say);
await buildGitea(say);
await buildActRunner();
await buildHudson(say);
await buildBuildkiteAgent(say);
say("Kubernetes, kwok, helm, Gitea, Hudson and Buildkite's agent are built");
