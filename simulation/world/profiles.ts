import { Profile } from '../../functions/domain/config.ts';

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

/** The clusters that there are. */
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

/** Agents that are dialled, in either cluster, and that may not live for ever. */
export const dialled = Profile.parse({
  name: 'dialled',
  labels: ['dialled'],
  clusters: clusterNames,
  namespace: 'agents',
  agentPort,
  deadlines,
  maxAgentLifetimeSeconds: 3000,
  template,
});

/** Agents that are dialled at the external address of their node. */
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

/** Agents that dial out, in a namespace of their own, and that are removed when they have exited. */
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

/** Every profile of the config. */
export const profiles: readonly Profile[] = [dialled, dialledOutside, dialOut];
