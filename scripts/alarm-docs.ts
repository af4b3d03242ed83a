import { type AlarmDefinition, alarmDefinitions } from '../cdk/watching/alarm-definitions.ts';

/** Writes the document of the alarms, from their table. */
export function alarmDocs(): string {
  const alarms: [string, AlarmDefinition][] = Object.entries(alarmDefinitions);
  const sections = alarms.map(
    ([id, { when, means, advice }]) => `## ${id}\n\n**When:** ${when}\n\n${means}\n\n**What to do:** ${advice}\n`,
  );
  return `# Alarms

<!-- Written by scripts/write-docs.ts from cdk/watching/alarm-definitions.ts: change it there. -->

They come with the stack and tell one SNS topic, which \`cdk deploy\` prints. Subscribe to it:

\`\`\`sh
aws sns subscribe --topic-arn "$ALARM_TOPIC" --protocol email --notification-endpoint you@example.com
\`\`\`

In your own CDK app, \`alarms: { topic, failureRatio, timeToAgent, oldestLaunch }\` of the construct takes a topic of yours
and other thresholds, and \`alarms: false\` turns them off. An alarm that goes off tells the topic, and again when all is
well. Metrics are in [metrics.md](metrics.md), error codes in [errors.md](errors.md), events in [events.md](events.md).

${sections.join('\n')}`;
}
