import { type AlarmText, alarmTexts } from '../cdk/monitoring/alarm-texts.ts';

/** Writes a section about each alarm, from their table. */
export function alarmSections(): string {
  const alarms: [string, AlarmText][] = Object.entries(alarmTexts);
  return alarms
    .map(([id, { when, means, advice }]) => `## ${id}\n\n**When:** ${when}\n\n${means}\n\n**What to do:** ${advice}`)
    .join('\n\n');
}
