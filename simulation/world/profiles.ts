import { RunnerProvider } from '../../core/ci/ci-system-config.ts';
import { isPolled } from '../../core/ci/ci-systems.ts';
import { Profile } from '../../core/config/config.ts';

/** The port that every agent listens on. */
export const agentPort = 8811;

/** How long each wait of a launch may take: short enough for each of them to pass in a run. */
export const deadlines = {
  serviceSeconds: 60,
  nodePortSeconds: 40,
  podSeconds: 60,
  placementSeconds: 120,
  publishSeconds: 30,
  connectSeconds: 240,
};

/** The clusters. */
export const clusterNames = ['east', 'west'];

const agent = { name: 'agent', image: 'registry.example/agent:1' };

/** An init container, a sidecar, and the agent. */
const template = {
  spec: {
    initContainers: [
      { name: 'set-up', image: 'registry.example/set-up:1' },
      { name: 'proxy', image: 'registry.example/proxy:1', restartPolicy: 'Always' },
    ],
    containers: [agent],
  },
};

/** The agent, and a second container that ends with it. */
const templateWithHelper = { spec: { containers: [agent, { name: 'helper', image: 'registry.example/helper:1' }] } };

/** When a launch leaves its cluster: soon enough for it to happen often. */
const moves = { failoverSeconds: 20, spillSeconds: 10 };

/** Dialled agents with a maximum lifetime, in either cluster. */
export const dialled = Profile.parse({
  name: 'dialled',
  labels: ['dialled'],
  clusters: clusterNames,
  ...moves,
  namespace: 'agents',
  agentPort,
  deadlines,
  maxAgentLifetimeSeconds: 3000,
  template,
});

/** Agents dialled at the external address of their node. */
export const dialledOutside = Profile.parse({
  name: 'dialled-outside',
  labels: ['dialled-outside'],
  clusters: ['west'],
  namespace: 'agents',
  hostAddress: 'nodeExternalIP',
  agentPort,
  deadlines,
  maxAgentLifetimeSeconds: 3000,
  template: { spec: { containers: [agent] } },
});

/** Agents that dial out, in their own namespace, and that davit removes after their exit. */
export const dialOut = Profile.parse({
  name: 'dial-out',
  labels: ['dial-out'],
  clusters: ['east'],
  namespace: 'builders',
  expose: 'none',
  agentPort,
  deadlines,
  removeExitedAfterSeconds: 120,
  template: templateWithHelper,
});

/** How long an agent of a queue may run nothing. */
export const idleSeconds = 300;

/** The most cores that a job of a queue may ask for. */
export const mostCpu = 4;

/** Agents that join a queue: a job queued for `small` may run on an agent launched for `big`. */
export const joining: readonly Profile[] = RunnerProvider.options.flatMap((runner) =>
  [['small'], ['small', 'big']].map((labels) =>
    Profile.parse({
      name: `${runner}-${labels.at(-1)}`,
      labels,
      clusters: clusterNames,
      strategy: 'ordered',
      ...moves,
      namespace: 'builders',
      runner,
      ...(isPolled({ provider: runner })
        ? {}
        : { scope: runner === 'github' ? 'organization' : 'repository', rerunWhenLost: true }),
      idleSeconds,
      sizes: { cpu: { max: mostCpu } },
      agentPort,
      deadlines,
      template: { spec: { containers: [agent] } },
    }),
  ),
);

/** How long an agent of a pool with warm agents may live: short enough for idle ones to be replaced in a run. */
export const warmLifetimeSeconds = 1500;

/** Every profile of the config. */
export const profiles: readonly Profile[] = [dialled, dialledOutside, dialOut, ...joining];

/** The pool that has warm agents in some worlds, by the kind of its CI system. */
export const warmPools: Readonly<Partial<Record<RunnerProvider, string>>> = {
  github: 'github-small',
  gitea: 'gitea-small',
};
