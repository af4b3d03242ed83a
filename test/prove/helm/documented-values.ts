import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { root } from '../cluster/run.ts';

const Values = z.looseObject({
  config: z.looseObject({
    ciSystems: z.tuple([z.looseObject({ url: z.url() })]),
    profiles: z.tuple([z.looseObject({ namespace: z.string() })]),
  }),
});
const WithoutIngress = z.strictObject({
  service: z.strictObject({ type: z.literal('NodePort'), nodePort: z.int() }),
});

/** The values in the section `Install` of docs/install-helm.md. */
export interface DocumentedValues {
  /** Its `values.yaml`, whose `ingress` belongs to an Ingress controller. */
  values: z.infer<typeof Values>;
  /** What stands in place of `ingress` where there is no such controller. */
  withoutIngress: z.infer<typeof WithoutIngress>;
}

/** Reads them. @throws ZodError when the section has other ones */
export async function documentedValues(): Promise<DocumentedValues> {
  const page = await readFile(join(root, 'docs/install-helm.md'), 'utf8');
  const [, section = ''] = /^## Install\n(.*?)^## /ms.exec(page) ?? [];
  const [values, withoutIngress] = [...section.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => parse(text));
  return { values: Values.parse(values), withoutIngress: WithoutIngress.parse(withoutIngress) };
}
