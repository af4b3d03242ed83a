import { Config } from '../../core/config/config.ts';

/** The image of the agents, which is the machine's own shell. */
export const agentImage = 'davit.dev/shell';

/** The ending of the file in which an agent leaves its registration. */
export const joinedSuffix = '.joined';

/** Writes its registration where the test reads it, which runs the job. */
const joins = `until answer=$(curl --silent --fail --request POST --header "Authorization: Bearer $DAVIT_CREDENTIAL" \\
  "$DAVIT_CONNECT_URL?as=env"); do sleep 0.2; done
eval "$answer"
printf '%s' "$ACTIONS_RUNNER_INPUT_JITCONFIG" >"$SHARED/$DAVIT_LAUNCH_ID.new"
mv "$SHARED/$DAVIT_LAUNCH_ID.new" "$SHARED/$DAVIT_LAUNCH_ID${joinedSuffix}"
exec sleep 3600
`;

/**
 * Adds a GitHub whose scale set brings its jobs, and the profile of the set.
 *
 * @param directory where the agents leave their registrations, in files named by their launches
 */
export function withScaleSet(config: Config, { url, directory, maxAgents }: ScaleSetOfTest): Config {
  const env = [{ name: 'SHARED', value: directory }];
  const containers = [{ name: 'agent', image: agentImage, env, command: ['sh', '-c', joins] }];
  const of = { clusters: ['sandbox'], namespace: 'davit-agents', runner: 'github', template: { spec: { containers } } };
  const keys = { name: 'hub', provider: 'github', tokenSecret: 'hub-token' };
  const scaleSet = { organization: 'acme', profile: 'of-set' };
  return Config.parse({
    ...config,
    ciSystems: [...config.ciSystems, { ...keys, url, events: 'scaleSet', scaleSet }],
    profiles: [...config.profiles, { ...of, name: 'of-set', labels: ['of-set'], maxAgents }],
  });
}

interface ScaleSetOfTest {
  url: string;
  directory: string;
  maxAgents: number;
}
