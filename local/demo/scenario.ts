import type { Config, Profile } from '../../core/config/config.ts';
import type { ErrorCode } from '../../core/errors/error-codes.ts';
import type { DemoArguments } from './arguments.ts';

/** The demo's launches, and how they must end. */
export interface Scenario {
  config: Config;
  labels: readonly string[];
  /** The error code with which every launch must fail. Absent if the launches must work. */
  failsWith?: ErrorCode;
}

interface Failure {
  code: ErrorCode;
  agent: object;
  deadlines?: Partial<Profile['deadlines']>;
}

/** A failure's changes to the template's agent and the deadlines, so that it shows within seconds. */
const failures: Readonly<Record<NonNullable<DemoArguments['fail']>, Failure>> = {
  image: { code: 'ImagePullFailed', agent: { image: 'registry.example.com/no-such-agent:1.0' } },
  crash: { code: 'ContainerTerminated', agent: { command: ['sh', '-c', 'echo cannot start: no disk >&2; exit 3'] } },
  'agent-never-connects': {
    code: 'ConnectDeadlineExceeded',
    agent: { args: ['--never-connect'] },
    deadlines: { connectSeconds: 10 },
  },
};

/**
 * Makes the scenario from the repository's own davit.yaml.
 *
 * @throws Error if the config has no profile with that exposure
 */
export function scenarioOf(config: Config, { expose, fail }: Pick<DemoArguments, 'expose' | 'fail'>): Scenario {
  const profile = config.profiles.find((candidate) => candidate.expose === expose);
  if (profile === undefined) throw new Error(`the config has no profile with expose: ${expose}`);
  const { labels } = profile;
  if (fail === undefined) return { config, labels };
  const { code, agent, deadlines = {} } = failures[fail];
  return { config: { ...config, profiles: [failing(profile, agent, deadlines)] }, labels, failsWith: code };
}

function failing(profile: Profile, agent: object, deadlines: Partial<Profile['deadlines']>): Profile {
  const { template, agentContainer } = profile;
  const containers = template.spec.containers.map((container) =>
    container.name === agentContainer ? { ...container, ...agent } : container,
  );
  return {
    ...profile,
    deadlines: { ...profile.deadlines, ...deadlines },
    graces: { ...profile.graces, imagePullSeconds: 5 },
    template: { ...template, spec: { ...template.spec, containers } },
  };
}
