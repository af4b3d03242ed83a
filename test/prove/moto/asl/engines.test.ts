import { fileURLToPath } from 'node:url';
import type { Config, Profile } from '../../../../core/config/config.ts';
import { planLaunch } from '../../../../core/launch/plan-launch.ts';
import { requestLaunch } from '../../../../logic/lifecycle/request-launch.ts';
import { definition } from '../../../../scripts/statemachine/read-definition.ts';
import { idle, withProfiles } from '../../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { type Engine, type Engines, startEngines } from './engines.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import type { Story } from './story.ts';

/** Longer than the suite: a sweep would start moto's launches on the local engine. */
const sweepIntervalMs = 3_600_000;

let davit: AwsTestRuntime;
let engines: Engines;
beforeAll(async () => {
  davit = await startAwsTestRuntime({ changeConfig: withProfilesOfScenarios, sweepIntervalMs });
  engines = await startEngines(davit.runtime);
});
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
  await davit[Symbol.asyncDispose]();
});

/** An agent that idles in its launch's first generation, and is the reference agent from the second one on. */
const secondTry = {
  command: [
    'sh',
    '-c',
    'case "$DAVIT_AGENT_NAME" in *-r[2-9]) exec "$0" "$@";; *) exec sleep 3600;; esac',
    process.execPath,
    fileURLToPath(new URL('../../../../local/agent/agent.ts', import.meta.url)),
  ],
};

function withProfilesOfScenarios(config: Config): Config {
  const added = withProfiles(config, {
    idle: { agent: idle },
    'no-port': { agent: idle, deadlines: { nodePortSeconds: 1 } },
    unschedulable: { agent: idle, spec: { nodeSelector: { disk: 'none' } }, deadlines: { placementSeconds: 1 } },
    silent: { agent: idle, deadlines: { connectSeconds: 1 } },
    'second-try': { agent: secondTry },
    'no-luck': { agent: idle },
  });
  const unlucky = (profile: Profile) => (profile.name === 'no-luck' ? { ...profile, maxRelaunches: 0 } : profile);
  return { ...added, profiles: added.profiles.map(unlucky) };
}

/** Runs a scenario's launch on an engine. Everything but the engine is the same. */
async function run(scenario: Scenario, engine: Engine, launchId: string): Promise<Story> {
  const profile = davit.config.profiles.find(({ name }) => name === scenario.profile);
  if (profile === undefined) throw new Error(`there is no profile ${scenario.profile}`);
  const { launches, invokeLater } = davit.runtime.ports;
  const { executions } = engine;
  const undo = await scenario.before?.(davit, launchId);
  try {
    const deps = { launches, executions, invokeLater, nowEpochMs: Date.now };
    await requestLaunch(deps, planLaunch(profile, { launchId }, Date.now()));
    if (scenario.during) {
      await engine.untilEntered(launchId, scenario.during.state);
      await scenario.during.act(davit, launchId);
    }
    return await engine.untilEnded(launchId);
  } finally {
    undo?.();
  }
}

describe("moto's interpreter does the same as the local engine, with the same functions, when", () => {
  test.each(scenarios.map((scenario, index) => ({ ...scenario, index })))('$title', async (scenario) => {
    const local = await run(scenario, engines.local, `asl-local-${scenario.index}-end`);
    const moto = await run(scenario, engines.moto, `asl-moto-${scenario.index}-end`);

    expect(moto.visits.map(({ state }) => state)).toEqual(scenario.way);
    expect(moto.end.error).toBe(scenario.error);
    expect(moto).toEqual(local);
  });
});

test('the scenarios enter every state of the machine', () => {
  const entered = new Set(scenarios.flatMap(({ way }) => way));

  expect([...entered].sort()).toEqual(Object.keys(definition.States).sort());
});
