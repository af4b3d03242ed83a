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

davit tells what happens to launches on an EventBridge bus: the account's default one, or the one that the construct is
given as \`eventBus\`. A rule that matches one profile's failures:

\`\`\`json
{ "source": ["${lifecycleSource}"], "detail-type": ["LaunchFailed"], "detail": { "profile": ["linux"] } }
\`\`\`

**What a listener has to know.** An event is sent at least once: \`detail.id\` is the same however often it comes, so keep
the ids that you have acted on. Events may come in another order than they happened in: go by \`detail.at\`. They are made
of what has been written to davit's tables (ADR 11), so none is lost because a function died, and none tells of what did
not happen. While EventBridge cannot be reached they wait, for up to a day. No event has a secret: no credential, and
nothing of the environment that a caller gave. A detail may get more fields; none is taken away or changes its meaning.

## Source \`${lifecycleSource}\`

Each event of a launch has, beside what is its own:

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
