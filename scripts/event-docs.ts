import * as z from 'zod';
import { AboutLaunch, lifecycleDetails, lifecycleSource } from '../functions/domain/lifecycle-events.ts';
import { SweepReported, sweepSource } from '../functions/domain/sweep-event.ts';

/** What is read of a JSON schema. */
const Described = z.looseObject({
  description: z.string().optional(),
  type: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.string()).optional(),
});
type Described = z.infer<typeof Described>;

const Detail = Described.extend({ properties: z.record(z.string(), Described), required: z.array(z.string()) });

/** Writes the document of the events, from their schemas. */
export function eventDocs(): string {
  const common = Object.keys(AboutLaunch.shape);
  const lifecycle = Object.entries(lifecycleDetails).map(([type, schema]) => sectionOf(type, schema, common));
  return `# Events

<!-- Written by scripts/write-docs.ts from functions/domain/lifecycle-events.ts: change it there. -->

davit publishes what happens to launches on an EventBridge bus: the account's default one, or the construct's
\`eventBus\`. This rule matches one profile's failures:

\`\`\`json
{ "source": ["${lifecycleSource}"], "detail-type": ["LaunchFailed"], "detail": { "profile": ["linux"] } }
\`\`\`

**Rules for listeners**

- davit sends each event at least once. \`detail.id\` is the same in every repeat: keep the ids that you have acted on.
- Events may arrive out of order: sort by \`detail.at\`.
- Events follow from what is written to davit's tables (ADR 11). No crash loses an event, and no event reports what did not
  happen. While EventBridge cannot be reached, events wait for up to a day.
- No event contains a secret: no credential, and nothing of the environment that a caller gave.
- A later version may add fields to a detail. It removes no field and changes no field's meaning.

## Source \`${lifecycleSource}\`

Each event of a launch has these fields beside its own:

${tableOf(Object.entries(detailOf(AboutLaunch).properties), detailOf(AboutLaunch).required)}

${lifecycle.join('\n')}
## Source \`${sweepSource}\`

${sectionOf('SweepReported', SweepReported, [])}`;
}

/** @param known fields that are told of elsewhere */
function sectionOf(type: string, schema: z.core.$ZodType, known: readonly string[]): string {
  const { description = '', properties, required } = detailOf(schema);
  const own = Object.entries(properties).filter(([name]) => !known.includes(name));
  const table = own.length === 0 ? [] : ['', tableOf(own, required)];
  return [`### ${type}`, '', description, ...table, ''].join('\n');
}

function detailOf(schema: z.core.$ZodType): z.infer<typeof Detail> {
  return Detail.parse(z.toJSONSchema(schema));
}

function tableOf(properties: [string, Described][], required: readonly string[]): string {
  const rows = properties.map(([name, property]) => {
    const presence = required.includes(name) ? '' : ', or absent';
    return `| \`${name}\` | ${typeOf(property)}${presence} | ${property.description ?? ''} |`;
  });
  return ['| field | is | |', '|---|---|---|', ...rows].join('\n');
}

function typeOf({ type, format, enum: values }: Described): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(' or ');
  return format === 'date-time' ? 'moment' : (type ?? 'address');
}
