import { Profile } from '../../../functions/domain/config.ts';

/** The port that every agent listens on. */
export const agentPort = 8811;

/** How long each wait of a launch may take: short enough for each of them to pass in a run. */
export const deadlines = {
  serviceSeconds: 60,
  nodePortSeconds: 40,
  podSeconds: 60,
  placementSeconds: 120,
  publishSeconds: 30,
  connectSeconds: 90,
};

/** The clusters that there are. */
export const clusterNames = ['east', 'west'];

const template = { spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] } };

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
  template,
});

/** Every profile of the config. */
export const profiles: readonly Profile[] = [dialled, dialOut];
