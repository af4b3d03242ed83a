import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import type { DavitProps } from '../../cdk/constructs/davit.ts';
import { DavitStack } from '../../cdk/davit-stack.ts';
import { unbundledApp } from '../../cdk/unbundled-app.ts';
import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { parseConfig } from '../../core/config/read-config.ts';

/** A config with a secret in each form: a name, a full ARN, and an ARN without its suffix. */
export const config = parseConfig(
  `
clusters:
  - name: one
    kubeconfigSecret: kubeconfig-one
  - name: two
    kubeconfigSecret: arn:aws:secretsmanager:eu-central-1:111122223333:secret:kubeconfig-two-a1B2c3
ciSystems:
  - name: github
    provider: github
    webhookSecret: arn:aws:secretsmanager:eu-central-1:111122223333:secret:davit/webhooks/github
    app:
      id: 123456
      privateKeySecret: davit/ci/github-app
  - name: gitea
    provider: gitea
    url: https://gitea.example.com
    webhookSecret: davit/webhooks/gitea
    tokenSecret: davit/ci/gitea-token
profiles:
  - name: linux
    labels: [linux]
    clusters: [one, two]
    namespace: agents
    agentPort: 8811
    template:
      spec:
        containers:
          - name: agent
            image: registry.example/agent:1
`,
  'davit.yaml',
);

/** Most tests look at the same stack: those of a process share its template. */
let withoutOptions: Template | undefined;

/** A CI system that davit polls. */
export const polledJenkins = CiSystemConfig.parse({
  name: 'jenkins',
  provider: 'jenkins',
  url: 'https://jenkins.example.com',
  user: 'davit',
  webhookSecret: 'davit/webhooks/jenkins',
  tokenSecret: 'davit/ci/jenkins-token',
});

/** Synthesises a stack as the CDK app does, without bundling its functions. @param props @default none */
export function synthesise(props?: Partial<DavitProps>): Template {
  if (props !== undefined) return templateOf(props);
  withoutOptions ??= templateOf({});
  return withoutOptions;
}

function templateOf(props: Partial<DavitProps>): Template {
  return Template.fromStack(new DavitStack(unbundledApp(), 'Davit', { config, ...props }));
}

const Resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().optional(),
});
type Resource = z.infer<typeof Resource>;

/** The resources of a template, by logical id. */
export function resourcesOf(template: Template, type: string): Map<string, Resource> {
  return new Map(
    Object.entries(template.findResources(type)).map(([id, resource]) => [id, Resource.parse(resource)] as const),
  );
}

/** The properties of these resources. */
export function propertiesOf(template: Template, type: string): Resource['Properties'][] {
  return [...resourcesOf(template, type).values()].map(({ Properties }) => Properties);
}

/** Formats a template's value as one text, with references as `${LogicalId}` or `${LogicalId.Attribute}`. */
export function textOf(value: unknown): string {
  const { data } = Intrinsic.safeParse(value);
  if (data === undefined) return typeof value === 'string' ? value : JSON.stringify(value);
  if ('Ref' in data) return `\${${data.Ref}}`;
  if ('Fn::GetAtt' in data) return `\${${data['Fn::GetAtt'].join('.')}}`;
  if ('Fn::Select' in data) return textOf(data['Fn::Select'][1]['Fn::Split'][1]);
  const [separator, parts] = data['Fn::Join'];
  return parts.map(textOf).join(separator);
}

const Intrinsic = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.array(z.string()) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
  z.strictObject({
    'Fn::Select': z.tuple([z.unknown(), z.strictObject({ 'Fn::Split': z.tuple([z.unknown(), z.unknown()]) })]),
  }),
]);
