import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse, type YAMLMap, type YAMLSeq } from 'yaml';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import { lifecycleDetails, lifecycleSource } from '../../../core/events/lifecycle-events.ts';
import { anyCodePoint } from '../../support/any-code-point.ts';

const Transformer = z.strictObject({ InputPathsMap: z.record(z.string(), z.string()), InputTemplate: z.string() });
const Rule = z.object({
  EventPattern: z.strictObject({ source: z.array(z.string()), 'detail-type': z.array(z.string()) }),
  Targets: z.tuple([
    z.object({
      Arn: z.literal('Destination.Arn'),
      RoleArn: z.literal('Role.Arn'),
      DeadLetterConfig: z.object({ Arn: z.literal('Undelivered.Arn') }),
      InputTransformer: z.tuple([z.literal('InSlack'), Transformer, Transformer]),
    }),
  ]),
});
const Template = z.object({
  Parameters: z.record(z.string(), z.looseObject({ Type: z.literal('String') })),
  Resources: z.looseObject({ Rule: z.object({ Properties: Rule }) }),
});

const scalars = ['Sub', 'Ref', 'GetAtt'].map((name) => ({ tag: `!${name}`, resolve: (text: string) => text }));
const lists = ['If', 'Not', 'Equals'].map((name) => ({
  tag: `!${name}`,
  collection: 'seq' as const,
  resolve: (list: YAMLMap.Parsed | YAMLSeq.Parsed) => list,
}));

const text = readFileSync(join(rootFolder, 'examples/alerts/messages.yaml'), 'utf8');
const template = Template.parse(parse(text, { customTags: [...scalars, ...lists] }));
const { EventPattern, Targets } = template.Resources.Rule.Properties;
const [, inSlack, elsewhere] = Targets[0].InputTransformer;

/**
 * Transforms an event as EventBridge does. It quotes and escapes a variable that is a whole value, and inserts one
 * within a text unchanged.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
function transform(
  { InputPathsMap, InputTemplate }: z.infer<typeof Transformer>,
  detail: Record<string, unknown>,
): unknown {
  const valueOf = (name: string) => detail[(InputPathsMap[name] ?? '').replace('$.detail.', '')];
  // Every other part is inside quotes.
  const parts = InputTemplate.split('"').map((part, index) =>
    part.replaceAll(/<(\w+)>/g, (_all, name: string) =>
      index % 2 === 1 ? String(valueOf(name)) : JSON.stringify(valueOf(name)),
    ),
  );
  return JSON.parse(parts.join('"'));
}

test('the template waits for events that davit sends', () => {
  expect(EventPattern).toEqual({ source: [lifecycleSource], 'detail-type': ['LaunchFailed'] });
});

test('the template uses each parameter that it declares', () => {
  for (const parameter of Object.keys(template.Parameters)) {
    expect(text).toMatch(new RegExp(`!Ref ${parameter}\\b|\\$\\{${parameter}\\}`));
  }
});

test('the template contains no secret: the token comes from Secrets Manager', () => {
  expect(text).toContain('Bearer {{resolve:secretsmanager:${TokenSecret}}}');
});

describe.each(Object.entries({ inSlack, elsewhere }))('the message %s', (_where, transformer) => {
  test('reads fields that each event has, and no others than it declares', () => {
    const always = Object.entries(lifecycleDetails.LaunchFailed.shape)
      .filter(([, schema]) => !schema.safeParse(undefined).success)
      .map(([field]) => `$.detail.${field}`);
    const used = Array.from(transformer.InputTemplate.matchAll(/<(\w+)>/g), ([, variable]) => variable);

    for (const path of Object.values(transformer.InputPathsMap)) expect(always).toContain(path);
    expect(new Set(used)).toEqual(new Set(Object.keys(transformer.InputPathsMap)));
  });

  test('sends JSON, for any message', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (message) => {
        const detail = {
          id: 'a/1/x',
          at: '2026',
          launchId: 'a',
          profile: 'linux',
          cluster: 'b',
          code: 'PodFailed',
          message,
        };

        expect(JSON.stringify(transform(transformer, detail))).toContain(JSON.stringify(message));
      }),
    );
  });
});
