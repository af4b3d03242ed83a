/** Builds the other sides of the proofs before they run, so that no proof's time is spent on a build. */
import { buildGitea } from './ci/gitea/build-gitea.ts';
import { buildHudson } from './ci/hudson/build-hudson.ts';
import { buildActRunner, buildBuildkiteAgent, buildHelm, buildPrograms } from './cluster/programs/programs.ts';
import { say } from './cluster/say.ts';

// One after another: each build uses every processor.
await buildPrograms();
await buildHelm();
await buildGitea();
await buildActRunner();
await buildHudson();
await buildBuildkiteAgent();
say("Kubernetes, kwok, helm, Gitea, Hudson and Buildkite's agent are built");
