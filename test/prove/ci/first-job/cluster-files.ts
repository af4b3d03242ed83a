import { readFile, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import type { TemporaryCluster } from '../../cluster/test-cluster.ts';

const Kubeconfig = z.looseObject({ contexts: z.tuple([z.looseObject({ name: z.string() })]) });

/** Writes a cluster's kubeconfig, whose only context is called `builds`. */
export async function writeKubeconfig(
  { kubeconfig }: Pick<TemporaryCluster, 'kubeconfig'>,
  file: string,
): Promise<void> {
  const { contexts, ...others } = Kubeconfig.parse(parse(kubeconfig));
  const named = { ...others, contexts: [{ ...contexts[0], name: 'builds' }], 'current-context': 'builds' };
  await writeFile(file, stringify(named));
}

/** Changes a davit.yaml so that its agents' images are those that the node has. */
export async function neverPull(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^( *)image: .*$/m, '$&\n$1imagePullPolicy: Never'));
}
