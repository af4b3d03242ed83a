import { type HistoryEvent, paginateGetExecutionHistory, type SFNClient } from '@aws-sdk/client-sfn';
import * as z from 'zod';

/** An execution's events in one state. */
export interface Visit {
  state: string;
  input: unknown;
  /** Absent when the execution ended in the state. */
  output?: unknown;
  /** The errors of its attempts, without consecutive repetitions. */
  errors: string[];
}

/** An execution's history, without the values that differ between runs. */
export interface Story {
  visits: Visit[];
  /** The last event. */
  end: { type: string | undefined; output?: unknown; error?: unknown; cause?: unknown };
}

/** Reads an execution's history from either engine, through Step Functions' API. */
export async function readStory(client: SFNClient, executionArn: string, launchId: string): Promise<Story> {
  const events: HistoryEvent[] = [];
  for await (const page of paginateGetExecutionHistory({ client }, { executionArn }))
    events.push(...(page.events ?? []));
  const like = (text: string | undefined) => likeAnyRun(parsed(text), launchId);
  const visits: Visit[] = [];
  for (const event of events) {
    const { stateEnteredEventDetails: entered, stateExitedEventDetails: left, taskFailedEventDetails: failed } = event;
    const visit = visits.at(-1);
    if (entered) visits.push({ state: entered.name ?? '', input: like(entered.input), errors: [] });
    if (left && visit) visit.output = like(left.output);
    if (failed && visit && visit.errors.at(-1) !== failed.error) visit.errors.push(failed.error ?? '');
  }
  return { visits, end: endOf(events.at(-1), like) };
}

function endOf(event: HistoryEvent | undefined, like: (text: string | undefined) => unknown): Story['end'] {
  const { type, executionSucceededEventDetails: well } = event ?? {};
  if (well) return { type, output: like(well.output) };
  const { error, cause } = event?.executionFailedEventDetails ?? {};
  return { type, error: like(error), cause: like(cause) };
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return z.json().parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** The names of fields that always differ between two runs of one launch. */
const ofOneRun = /EpochMs$|^(?:uid|port|resourceVersion|credentialId)$/;

/** Removes the fields that differ between runs from execution data, at any depth, also in a Lambda error's JSON. */
function likeAnyRun(value: unknown, launchId: string): unknown {
  if (typeof value === 'string') {
    const object = value.startsWith('{') ? parsed(value) : value;
    return typeof object === 'string' ? wordsLikeAnyRun(object, launchId) : likeAnyRun(object, launchId);
  }
  if (Array.isArray(value)) return value.map((each) => likeAnyRun(each, launchId));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'trace')
      .map(([key, each]) => [key, ofOneRun.test(key) ? `any ${typeof each}` : likeAnyRun(each, launchId)]),
  );
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Durations, ports and ids in messages. */
function wordsLikeAnyRun(text: string, launchId: string): string {
  return text.replaceAll(launchId, '{launchId}').replaceAll(uuid, '{uuid}').replaceAll(/\d+/g, '{number}');
}
