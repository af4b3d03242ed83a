import { idle } from '../outcomes/containers.ts';
import { describeFailures, type Failure, profilesOf, type Row } from '../outcomes/expect-outcome.ts';
import { startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

const graces = { imagePullSeconds: 1, containerSeconds: 1 };
const fromSecret = (secret: string, key: string) => [
  { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: secret, key } } },
];

const failingHook = { postStart: { exec: { command: ['/bin/sh', '-c', 'echo no lock; exit 6'] } } };

/** The ways in which a container cannot start. */
const failures: (Row & Failure)[] = [
  {
    what: "when its init container's image is missing",
    changes: { agent: idle, spec: { initContainers: [{ name: 'prepare', image: 'davit.dev/none:2' }] }, graces },
    code: 'ImagePullFailed',
    detail: /(ErrImagePull|ImagePullBackOff): .*container prepare, image davit\.dev\/none:2/,
  },
  {
    what: 'when its image has an invalid name',
    changes: { agent: { image: 'Davit.dev/None' } },
    code: 'ImageNameInvalid',
    detail: /InvalidImageName: Failed to apply default image tag "Davit\.dev\/None": couldn't parse image name/,
  },
  {
    what: 'when its image may not be pulled',
    changes: { agent: { image: 'davit.dev/none:1', imagePullPolicy: 'Never' }, graces },
    code: 'ImageNotUsable',
    detail: /ErrImageNeverPull: .* is not present with pull policy of Never; imagePullPolicy: Never/,
  },
  {
    what: 'when its Secret is missing',
    changes: { agent: { ...idle, envFrom: [{ secretRef: { name: 'none' } }] }, graces },
    code: 'ContainerConfigInvalid',
    detail: /CreateContainerConfigError: secret "none" not found/,
  },
  {
    what: 'when its Secret lacks the key',
    changes: { agent: { ...idle, env: fromSecret('there', 'password') }, graces },
    code: 'ContainerConfigInvalid',
    // A busy kubelet says first that it has not read the Secret yet.
    detail:
      /CreateContainerConfigError: (couldn't find key password in Secret davit-agents\/there|failed to sync secret cache)/,
  },
  {
    what: 'when its ConfigMap is missing',
    changes: { agent: { ...idle, envFrom: [{ configMapRef: { name: 'none' } }] }, graces },
    code: 'ContainerConfigInvalid',
    detail: /CreateContainerConfigError: configmap "none" not found/,
  },
  {
    what: "when its volume's Secret is missing",
    changes: {
      agent: { ...idle, volumeMounts: [{ name: 'keys', mountPath: '/keys' }] },
      spec: { volumes: [{ name: 'keys', secret: { secretName: 'none' } }] },
      deadlines: { connectSeconds: 5 },
    },
    code: 'ConnectDeadlineExceeded',
    detail: /FailedMount: MountVolume\.SetUp failed for volume "keys" : secret "none" not found/,
  },
  {
    what: 'when its command is missing',
    changes: { agent: { ...idle, command: ['/no-such-program'] }, graces },
    code: 'ContainerStartFailed',
    detail: /exec: "\/no-such-program": stat \/no-such-program: no such file or directory/,
  },
  {
    what: 'when its postStart hook fails, and ends the agent for good',
    changes: { agent: { ...idle, lifecycle: failingHook } },
    code: 'ContainerStartFailed',
    detail: /FailedPostStartHook: PostStartHook failed; phase \S+; container agent terminated with exit code 0/,
  },
  {
    what: 'when its postStart hook fails each time',
    changes: { agent: { ...idle, lifecycle: failingHook }, spec: { restartPolicy: 'Always' }, graces },
    code: 'ContainerStartFailed',
    detail:
      /PostStartHook(Error: Exec lifecycle hook .* exited with 6| failed; container agent waiting: CrashLoopBackOff)/,
  },
];

const davit = await startDavit(await openTestCluster(), { profiles: profilesOf(failures) });
beforeAll(async () => {
  const body = { metadata: { name: 'there' }, stringData: { user: 'agent' } };
  await davit.api.send('/api/v1/namespaces/davit-agents/secrets', { method: 'POST', body });
});
afterAll(() => davit[Symbol.asyncDispose]());

describeFailures(davit, failures);
