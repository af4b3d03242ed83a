import type { LocalMeasure, Measure } from './bench.ts';

/** A measure of the list. Its module is loaded when it is taken, because a help text needs none. */
export interface ListedMeasure {
  name: string;
  description: string;
  load: () => Promise<Measure | LocalMeasure>;
}

/** All measures, in the order in which they run. */
export const measures: readonly ListedMeasure[] = [
  {
    name: 'start',
    description: 'start: time until the local runtime listens, processor time and memory of a demo',
    load: async () => (await import('./measures/start.ts')).start,
  },
  {
    name: 'console',
    description: 'console: frame times of a list of 10,000 launches, of which 50 change each second',
    load: async () => (await import('./measures/console.ts')).consoleFrames,
  },
  {
    name: 'one-at-a-time',
    description: 'webhook accepted → token published, one launch at a time',
    load: async () => (await import('./measures/one-at-a-time.ts')).oneAtATime,
  },
  {
    name: 'counts',
    description: 'Kubernetes API calls, states, invocations and table requests of a launch that works',
    load: async () => (await import('./measures/counts.ts')).counts,
  },
  {
    name: 'at-once',
    description: 'webhook accepted → token published, many launches at once, p99',
    load: async () => (await import('./measures/at-once.ts')).atOnce,
  },
  {
    name: 'sustained',
    description: 'launches a second, 16 at a time, each taken away again; processor time of a launch',
    load: async () => (await import('./measures/sustained.ts')).sustained,
  },
  {
    name: 'waiting',
    description:
      "status.hostIP written → PollHostIP returns; the use of launches that wait for minutes, and the probe's",
    load: async () => (await import('./measures/waiting.ts')).waiting,
  },
  {
    name: 'connect',
    description: 'connect: answers a second of one core, and p99, while 1000 agents poll',
    load: async () => (await import('./measures/connect.ts')).connect,
  },
  {
    name: 'queue',
    description: 'queue: time until a job of a real Gitea runs, one at a time and 100 at once',
    load: async () => (await import('./measures/queue.ts')).queue,
  },
  {
    name: 'ci-systems',
    description: 'ci systems: time until a job of GitHub, Jenkins, Buildkite, GitLab, Forgejo runs, one at a time',
    load: async () => (await import('./measures/ci-systems.ts')).ciSystems,
  },
  {
    name: 'burst',
    description: 'burst: webhooks as fast as they can be sent: accepted a second, until the last is launched',
    load: async () => (await import('./measures/burst.ts')).burst,
  },
  {
    name: 'clusters',
    description: 'a cluster is lost → connected: false; it is back → true',
    load: async () => (await import('./measures/clusters.ts')).clusters,
  },
  {
    name: 'flaps',
    description: '5 % of the calls to a cluster fail → changes of connected; --fail-for gives it an hour',
    load: async () => (await import('./measures/flaps.ts')).flaps,
  },
  {
    name: 'growth',
    description: 'what the last of many launches costs over the tenth: time, API calls, memory',
    load: async () => (await import('./measures/growth.ts')).growth,
  },
  {
    name: 'sweep',
    description: 'a sweep over many objects: time, API calls, memory',
    load: async () => (await import('./measures/sweep.ts')).sweep,
  },
  {
    name: 'organisation',
    description: 'reconciling with 5,000 repositories and 2,000 running jobs: time, requests, lost webhooks found',
    load: async () => (await import('./measures/organisation.ts')).organisation,
  },
];
