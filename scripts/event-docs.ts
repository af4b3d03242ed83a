import * as z from 'zod';
import { clusterDetails, clusterSource } from '../core/events/cluster-events.ts';
import { JobRefused, jobSource } from '../core/events/job-events.ts';
import { AboutLaunch, lifecycleDetails, lifecycleSource } from '../core/events/lifecycle-events.ts';
import { JobsWaitForSlots } from '../core/events/limit-event.ts';
import { RepairMade, repairSource } from '../core/events/repair-event.ts';
import { SweepReported, sweepSource } from '../core/events/sweep-event.ts';
import { markdownTable } from './cost/markdown.ts';

/** The part of a JSON schema that the document uses. */
const Field = z.looseObject({
  description: z.string().optional(),
  type: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.string()).optional(),
});
const Described = Field.extend({
  properties: z.record(z.string(), Field).optional(),
  required: z.array(z.string()).optional(),
});
type Described = z.infer<typeof Described>;

const Detail = Described.extend({ properties: z.record(z.string(), Described), required: z.array(z.string()) });

/** Writes the parts of the document of the events, from their schemas: a rule for an example, and all events. */
export function eventParts(): [example: string, events: string] {
  const common = Object.keys(AboutLaunch.shape);
  const lifecycle = Object.entries(lifecycleDetails).map(([type, schema]) => sectionOf(type, schema, common));
  const clusters = Object.entries(clusterDetails).map(([type, schema]) => sectionOf(type, schema, []));
  const example = `\`\`\`json
{ "source": ["${lifecycleSource}"], "detail-type": ["LaunchFailed"], "detail": { "profile": ["linux"] } }
\`\`\``;
  const events = `## Source \`${lifecycleSource}\`

Each event of a launch has these fields beside its own:

${tableOf(Object.entries(detailOf(AboutLaunch).properties), detailOf(AboutLaunch).required)}

${lifecycle.join('\n')}
## Source \`${clusterSource}\`

${clusters.join('\n')}
## Source \`${jobSource}\`

This rule matches the jobs that a profile refuses because of their size:

\`\`\`json
{ "source": ["${jobSource}"], "detail-type": ["JobRefused"], "detail": { "refusal": ["Size"] } }
\`\`\`

${sectionOf('JobRefused', JobRefused, [])}
## Source \`${sweepSource}\`

${sectionOf('SweepReported', SweepReported, [])}
## Source \`${repairSource}\`

${sectionOf('RepairMade', RepairMade, [])}
${sectionOf('JobsWaitForSlots', JobsWaitForSlots, []).trimEnd()}`;
  return [example, events];
}

/** @param known fields that another section describes */
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
  const rows = properties.flatMap(([name, property]) => [
    rowOf(name, property, required),
    ...Object.entries(property.properties ?? {}).map(([inner, each]) =>
      rowOf(
        `${name}.${inner}`,
        each,
        (property.required ?? []).map((present) => `${name}.${present}`),
      ),
    ),
  ]);
  return markdownTable(['field', 'is', ''], rows);
}

function rowOf(name: string, property: Described, required: readonly string[]): string[] {
  const presence = required.includes(name) ? '' : ', or absent';
  return [`\`${name}\``, `${typeOf(property)}${presence}`, property.description ?? ''];
}

function typeOf({ type, format, enum: values }: Described): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(' or ');
  return format === 'date-time' ? 'moment' : (type ?? 'address');
}
