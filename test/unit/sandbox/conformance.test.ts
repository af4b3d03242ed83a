import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { agentNamespace } from '../../../cdk/rbac/agent-namespace.ts';
import { tokenIdentity } from '../../../cdk/rbac/davit-identity.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { type SandboxCluster, startSandboxCluster } from '../../../sandbox/sandbox-cluster.ts';
import { makeProfile } from '../../support/make-profile.ts';
import { newFolder } from '../../support/new-folder.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';

const Report = z.object({ checks: z.array(z.object({ name: z.string(), verdict: z.string(), found: z.string() })) });
const Quota = z.looseObject({ kind: z.literal('ResourceQuota'), metadata: z.looseObject({ name: z.string() }) });
const namespace = 'davit-agents';

const directory = newFolder();
let sandbox: SandboxCluster;
beforeAll(async () => {
  sandbox = await startSandboxCluster({ node: { stateDirectory: directory, images: {} } });
  makeNamespace(sandbox);
});
afterAll(async () => {
  await sandbox.stop();
});

/** Makes the namespace and the quota that `davit rbac` prints: each check finds there what it needs. */
function makeNamespace({ store }: SandboxCluster): void {
  const objects = agentNamespace(namespace, [makeProfile({ namespace })], tokenIdentity);
  store.create('namespaces', { metadata: { name: namespace, labels: podSecurityOf(objects) } });
  for (const object of objects) {
    const quota = Quota.safeParse(object).data;
    if (quota !== undefined) store.create('resourcequotas', quota);
  }
}

const Namespace = z.looseObject({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }) });

function podSecurityOf([first]: readonly unknown[]): Record<string, string> {
  return Namespace.parse(first).metadata.labels;
}

/** The checks that sandbox/README.md lists as limits. */
function documentedLimits(): string[] {
  const [, limits = ''] = readFileSync('sandbox/README.md', 'utf8').split('## Limits\n');
  const [section = ''] = limits.split('\n## ');
  return [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name);
}

test('the sandbox holds what davit relies on, except for the limits in its README', async () => {
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, sandbox.kubeconfig);
  const terminal = recordingTerminal();

  await runCli(['conformance', '--kubeconfig', kubeconfig, '--namespace', namespace, '-o', 'json'], terminal);

  const { checks } = Report.parse(JSON.parse(terminal.lines.join('\n')));
  const differences = checks.filter(({ verdict }) => verdict !== 'held');
  expect(differences.map(({ name }) => name)).toEqual(documentedLimits());
  expect(new Set(differences.map(({ verdict }) => verdict))).toEqual(new Set(['not-held']));
});
