import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'yaml';
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
      InputTransformer: Transformer,
    }),
  ]),
});
const Template = z.object({
  Parameters: z.record(z.string(), z.looseObject({ Type: z.literal('String') })),
  Resources: z.looseObject({ Rule: z.object({ Properties: Rule }) }),
});

const functions = ['Sub', 'Ref', 'GetAtt'].map((name) => ({
  tag: `!${name}`,
  resolve: (text: string) => text,
}));

function readTemplate(name: string): { text: string; template: z.infer<typeof Template> } {
  const text = readFileSync(join(rootFolder, 'examples/alerts', name), 'utf8');
  return { text, template: Template.parse(parse(text, { customTags: functions })) };
}

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
  const text = parts.join('"');
  return JSON.parse(text);
}

describe.each(['slack.yaml', 'webhook.yaml'])('%s', (name) => {
  const { text, template } = readTemplate(name);
  const { EventPattern, Targets } = template.Resources.Rule.Properties;
  const { InputTransformer } = Targets[0];

  test('waits for events that davit sends, and reads fields that each of them has', () => {
    expect(EventPattern).toEqual({ source: [lifecycleSource], 'detail-type': ['LaunchFailed'] });
    const fields = Object.entries(lifecycleDetails.LaunchFailed.shape);
    const always = fields
      .filter(([, schema]) => !schema.safeParse(undefined).success)
      .map(([field]) => `$.detail.${field}`);
    for (const path of Object.values(InputTransformer.InputPathsMap)) expect(always).toContain(path);
  });

  test('uses each variable and each parameter that it declares, and no other', () => {
    const used = Array.from(InputTransformer.InputTemplate.matchAll(/<(\w+)>/g), ([, variable]) => variable);
    expect(new Set(used)).toEqual(new Set(Object.keys(InputTransformer.InputPathsMap)));
    for (const parameter of Object.keys(template.Parameters)) {
      expect(text).toMatch(new RegExp(`!Ref ${parameter}\\b|\\$\\{${parameter}\\}`));
    }
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

        expect(JSON.stringify(transform(InputTransformer, detail))).toContain(JSON.stringify(message));
      }),
    );
  });

  test('contains no secret: the token comes from Secrets Manager', () => {
    expect(text).toContain('Bearer {{resolve:secretsmanager:${TokenSecret}}}');
  });
});
