import * as z from 'zod';

/** The types that moto's CloudFormation does not know. A test fails when it learns one: remove it here then. */
export const unknownToMoto = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CloudWatch::Alarm',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::Schedule',
  'AWS::SecretsManager::Secret',
];

const Resource = z.looseObject({
  Type: z.string(),
  DependsOn: z.union([z.array(z.string()), z.string().transform((one) => [one])]).optional(),
});

/** A template, reduced to the parts that this file reads. */
export const TemplateShape = z.looseObject({ Resources: z.record(z.string(), Resource) });
export type TemplateShape = z.infer<typeof TemplateShape>;

const Reference = z.union([
  z.strictObject({ Ref: z.string() }).transform(({ Ref }) => Ref),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }).transform(({ 'Fn::GetAtt': [id] }) => id),
]);

/** Removes all resources of these types from a template, and replaces references to them by a dummy ARN. */
export function leftOut(template: TemplateShape, types: readonly string[]): TemplateShape {
  const kept = Object.entries(template.Resources).filter(([, { Type }]) => !types.includes(Type));
  const ids = new Set(kept.map(([id]) => id));
  const isGone = (id: string) => id in template.Resources && !ids.has(id);
  const resources = kept.map(([id, { DependsOn = [], ...resource }]) => [
    id,
    { ...resource, DependsOn: DependsOn.filter((other) => ids.has(other)) },
  ]);
  return TemplateShape.parse(withoutReferences({ ...template, Resources: Object.fromEntries(resources) }, isGone));
}

function withoutReferences(value: unknown, isGone: (id: string) => boolean): unknown {
  const { data: id } = Reference.safeParse(value);
  if (id !== undefined) return isGone(id) ? `arn:aws:left-out:::${id}` : value;
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, isGone));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutReferences(item, isGone)]));
}
