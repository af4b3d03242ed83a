import { type AlarmText, alarmTexts } from '../cdk/monitoring/alarm-texts.ts';

/** Writes docs/alarms.md from the table of alarms. */
export function alarmDocs(): string {
  const alarms: [string, AlarmText][] = Object.entries(alarmTexts);
  const sections = alarms.map(
    ([id, { when, means, advice }]) => `## ${id}\n\n**When:** ${when}\n\n${means}\n\n**What to do:** ${advice}\n`,
  );
  return `# Alarms

<!-- Written by scripts/write-docs.ts from cdk/monitoring/alarm-texts.ts: change it there. -->

The alarms come with the stack and notify one SNS topic, which \`davit deploy\` prints. Subscribe to it:

\`\`\`sh
aws sns subscribe --topic-arn "$ALARM_TOPIC" --protocol email --notification-endpoint you@example.com
\`\`\`

In your own CDK app, the construct takes your own topic and other thresholds by
\`alarms: { topic, failureRatio, timeToAgent, oldestLaunch }\`, and \`alarms: false\` turns them off. An alarm notifies the
topic when it goes off, and again when all is well. Metrics are in [metrics.md](metrics.md), error codes in [errors.md](errors.md), events in [events.md](events.md).

${sections.join('\n')}`;
}
