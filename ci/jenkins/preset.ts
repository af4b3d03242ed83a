import type { RunnerPreset } from '../../core/agent/connect-script.ts';
import { secretPipe } from '../../core/agent/secret-pipe.ts';

/**
 * Jenkins' inbound agent, in Jenkins' own image, by WebSocket. The agent reads its secret from a pipe, so that no disk, no
 * environment and no command line has it: a job could read those. It connects again for a day when its connection is lost,
 * because a pipeline goes on when Jenkins has restarted.
 *
 * @see https://github.com/jenkinsci/docker-agent/blob/master/jenkins-agent
 */
export const jenkinsPreset: RunnerPreset = {
  image: 'jenkins/inbound-agent:latest',
  program: 'jenkins-agent',
  start: `${secretPipe('secret', String.raw`printf '%s\n' "$JENKINS_SECRET"`)}JENKINS_SECRET=@$pipe
JENKINS_AGENT_WORKDIR=\${AGENT_WORKDIR:-\${HOME:-/tmp}/agent}
JENKINS_WEB_SOCKET=true
REMOTING_OPTS="-noReconnectAfter 1d \${REMOTING_OPTS:-}"
export JENKINS_URL JENKINS_AGENT_NAME JENKINS_SECRET JENKINS_AGENT_WORKDIR JENKINS_WEB_SOCKET REMOTING_OPTS
exec jenkins-agent
`,
};
