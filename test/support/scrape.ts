import * as z from 'zod';

/** A series of a scrape, and its value. */
export interface Sample {
  /** The series' name, such as `davit_time_to_agent_milliseconds_bucket`. */
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A metric of a scrape. */
export interface Family {
  type: string;
  help: string;
  samples: Sample[];
}

const comment = /^# (?<what>HELP|TYPE|UNIT) (?<name>[a-zA-Z_]\w*) (?<text>.+)$/;
const sample = /^(?<name>[a-zA-Z_]\w*)(?:\{(?<labels>.*)\})? (?<value>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const label = /(?<key>[a-zA-Z_]\w*)="(?<text>(?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const histogramEnds = ['_bucket', '_sum', '_count'];

/**
 * Asks for metrics as Prometheus does, and reads them as strictly.
 *
 * @param url of the page
 * @returns the metrics by their names
 * @throws Error when the answer is not 200 in the text format 0.0.4, or has a line that is not of it
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export async function scrape(url: string): Promise<Map<string, Family>> {
  const response = await fetch(url);
  const text = await response.text();
  const type = response.headers.get('content-type');
  if (response.status !== 200 || type !== 'text/plain; version=0.0.4; charset=utf-8') {
    throw new Error(`${url}: ${response.status} ${type} ${text}`);
  }
  return familiesOf(text);
}

function familiesOf(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const said = comment.exec(line)?.groups;
    if (said === undefined) addSample(families, line);
    else if (said['what'] !== 'UNIT') addComment(families, said);
  }
  return families;
}

function addComment(families: Map<string, Family>, { what, name = '', text = '' }: Record<string, string>): void {
  const family = families.get(name) ?? { type: '', help: '', samples: [] };
  families.set(name, family);
  const key = what === 'HELP' ? 'help' : 'type';
  if (family[key] !== '' || family.samples.length > 0) throw new Error(`a second or late ${what} of ${name}`);
  family[key] = text;
}

function addSample(families: Map<string, Family>, line: string): void {
  const read = z.object({ name: z.string(), labels: z.string().default(''), value: z.coerce.number() });
  const { success, data } = read.safeParse({ ...sample.exec(line)?.groups });
  if (!success) throw new Error(`no line of the text format: ${line}`);
  const end = histogramEnds.find((each) => data.name.endsWith(each)) ?? '';
  const ofHistogram = families.get(data.name.slice(0, data.name.length - end.length));
  const family = ofHistogram?.type === 'histogram' ? ofHistogram : families.get(data.name);
  if (family === undefined || family.type === '') throw new Error(`no type before ${line}`);
  family.samples.push({ ...data, labels: labelsOf(data.labels) });
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const { key = '', text: value = '' } = label.exec(text)?.groups ?? {};
    if (key === '' || key in labels) throw new Error(`no labels: ${text}`);
    labels[key] = value.replaceAll(/\\(.)/g, (_all, letter: string) => (letter === 'n' ? '\n' : letter));
  }
  return labels;
}
