import { readAgentEnv } from '../../on-cluster/agent-env.ts';
import { profileNames } from '../../on-cluster/config.ts';
import { type PollTarget, pollAsAgents } from '../answering/poll.ts';
import { startServer } from '../answering/start-server.ts';
import { contenders, type Measure } from '../bench.ts';
import { type Figure, p99Of } from '../figure.ts';
import { takeTurns } from '../take-turns.ts';

const agents = 1000;

/** A server that answers agents. */
interface Answering {
  name: string;
  target: PollTarget;
  cpuMs: () => Promise<number>;
  latenciesMs: number[];
  failures: number;
  usedMs: number;
  tookMs: number;
}

/** The number of agents that can poll at the same time. */
export const connect: Measure = {
  take: async (bench) => {
    const { davit, launcher, api, size, say } = bench;
    await using bare = await startServer('bare');
    await using own = await startServer('connect');
    const timeline = await launcher.request(profileNames.nobody);
    const { connectUrl, credential } = await readAgentEnv(api, timeline.agentName);
    const serverOf = (name: string, target: PollTarget, cpuMs: () => Promise<number>): Answering => {
      return { name, target, cpuMs, latenciesMs: [], failures: 0, usedMs: 0, tookMs: 0 };
    };
    const all = [
      serverOf('a bare HTTP server', bare, bare.cpuMs),
      serverOf("davit's connect function on it, tables in memory", own, own.cpuMs),
      serverOf(contenders.davit, { url: connectUrl, credential }, async () => (await davit.observe()).cpuMs),
    ];
    const turns = all.map((answering) => async () => {
      await poll(answering, size.connectSeconds * 1000);
      say(`connect: ${answering.name}`);
    });
    await takeTurns({ samples: size.connectRounds, forSeconds: Number.POSITIVE_INFINITY }, turns);
    await launcher.end(timeline);
    return [
      {
        name: "connect: answers in a second of one core's time",
        unit: '/s',
        contenders: all.map(({ name, latenciesMs, usedMs }) => ({ name, value: (latenciesMs.length / usedMs) * 1000 })),
        note: "answers over the processor time that the server used; the agents' own is not in it",
      },
      {
        name: `connect: p99 of an answer while ${agents} agents poll by the protocol`,
        unit: 'ms',
        contenders: all.map(({ name, latenciesMs }) => p99Of(name, latenciesMs)),
        note: all
          .map(({ name, latenciesMs, tookMs, failures }) => {
            const rate = Math.round((latenciesMs.length / tookMs) * 1000);
            return `${name}: ${rate} answers/s${failures === 0 ? '' : `, and ${failures} times 5xx`}`;
          })
          .join('; '),
      },
    ] satisfies Figure[];
  },
};

async function poll(answering: Answering, forMs: number): Promise<void> {
  const usedBefore = await answering.cpuMs();
  const startMs = performance.now();
  const { latenciesMs, failures } = await pollAsAgents(answering.target, agents, forMs);
  answering.tookMs += performance.now() - startMs;
  answering.usedMs += (await answering.cpuMs()) - usedBefore;
  answering.failures += failures;
  answering.latenciesMs.push(...latenciesMs);
}
