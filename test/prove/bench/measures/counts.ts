import { connect } from '../../../../local/agent/connect.ts';
import { routes } from '../../../../runtime/function-settings.ts';
import { readAgentEnv } from '../../on-cluster/agent-env.ts';
import { profileNames } from '../../on-cluster/config.ts';
import { davitUser } from '../../on-cluster/davit-identity.ts';
import { type Bench, contenders, type Measure, untilGone } from '../bench.ts';
import { atMost, median } from '../figure.ts';
import { forget } from '../launchings.ts';
import { turnsOf } from '../size.ts';
import { summarise } from '../statistics.ts';

/** The cost of one successful launch, counted where the calls arrive. */
interface Cost {
  apiCalls: string[];
  statesEntered: number;
  invocations: number;
}

/** The cost of a successful launch. */
export const counts: Measure = {
  take: async (bench) => {
    const costs: Cost[] = [];
    for (const turn of turnsOf(bench.size.counted)) {
      costs.push(await countOne(bench));
      bench.say(`counted: ${turn}`);
    }
    const of = (name: string, count: (cost: Cost) => number) => median(name, summarise(costs.map(count)));
    const most = (count: (cost: Cost) => number) => Math.max(...costs.map(count));
    const kubernetes = (cost: Cost) => cost.apiCalls.length;
    return [
      {
        name: "Kubernetes API calls of a launch that works, at the API server's audit log",
        unit: 'calls',
        contenders: [of('davit', kubernetes), { name: contenders.bare, value: 3 }],
        goal: atMost(most(kubernetes), 6, 'count'),
        note: costs[0]?.apiCalls.join(', ') ?? '',
      },
      {
        name: 'states entered by a launch that works',
        unit: 'states',
        contenders: [of('davit', ({ statesEntered }) => statesEntered)],
        goal: atMost(
          most(({ statesEntered }) => statesEntered),
          7,
          'count',
        ),
      },
      {
        name: 'of a launch that works, webhook and connects included',
        unit: '',
        contenders: [of('function invocations', ({ invocations }) => invocations)],
        note: 'its agent asks until it is told',
      },
    ];
  },
};

const ofApi: ReadonlySet<string> = new Set(routes.map(({ functionName }) => functionName));

async function countOne(bench: Bench): Promise<Cost> {
  const { davit, launcher, audit, api } = bench;
  await forget(bench);
  const timeline = await launcher.request(profileNames.kwok);
  await launcher.entered(timeline, 'PollHostIP');
  const env = await readAgentEnv(api, timeline.agentName);
  await connect({ url: env.connectUrl, credential: env.credential, log: () => {} });
  const { atEpochMs } = await launcher.left(timeline, 'PublishToken');
  const statesEntered = timeline.events.filter(({ type }) => type === 'entered').length;
  const invoked = timeline.events.filter(({ type }) => type === 'attempted').length;
  await launcher.end(timeline);
  await untilGone(api, timeline.agentName);
  // The API server logs a call when it is over: by now, all calls that began during the launch have ended.
  const isOfLaunch = ({ startEpochMs }: { startEpochMs: number }) => startEpochMs < atEpochMs;
  const calls = (await audit.read(davitUser)).filter(isOfLaunch).filter(({ name }) => name === timeline.agentName);
  const { invocations } = await davit.observe();
  return {
    apiCalls: calls.map(({ verb, resource }) => `${verb} ${resource}`),
    statesEntered,
    invocations: invoked + invocations.filter(isOfLaunch).filter(({ functionName }) => ofApi.has(functionName)).length,
  };
}
