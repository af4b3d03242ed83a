import type { Diagnostics } from '../domain/diagnostics.ts';
import { errorCodes, isErrorCode } from '../domain/error-codes.ts';
import type { Ending, Generation, LaunchRecord, Signal } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import { agentNameOf } from '../domain/names.ts';

/**
 * Builds the view of a launch for people: times in ISO 8601, the meaning of an error code with advice, and the reason for
 * each relaunch. Shows only the names of environment variables. Leaves out fields without a value.
 */
export function launchView(record: LaunchRecord, nowEpochMs: number): object {
  return {
    launchId: record.launchId,
    agentName: record.plan?.agentName ?? agentNameOf(record.launchId),
    status: record.status,
    requestedAt: iso(record.requestedAtEpochMs),
    connectedAt: record.connectedAtEpochMs && iso(record.connectedAtEpochMs),
    signal: record.signal && signalView(record.signal, nowEpochMs),
    ending: record.ending && endingView(record.ending),
    cleaning: record.status === 'cleaning' ? cleaningView(record, nowEpochMs) : undefined,
    diagnostics: record.diagnostics && diagnosticsView(record.diagnostics),
    cleanedAt: record.cleanedAtEpochMs && iso(record.cleanedAtEpochMs),
    plan: record.plan && planView(record.plan),
    generations: record.generations?.map(generationView),
    labels: record.labels,
    envNames: record.env && Object.keys(record.env),
    forgottenAt: iso(record.expiresAtEpochSeconds * 1000),
  };
}

function planView({
  launchId: _launchId,
  agentName: _agentName,
  requestedAtEpochMs: _at,
  startedAtEpochMs,
  ...plan
}: LaunchPlan): object {
  return { ...plan, startedAt: iso(startedAtEpochMs) };
}

function diagnosticsView({ atEpochMs, events, ...rest }: Diagnostics): object {
  const seen = events.map(({ lastSeenAtEpochMs, ...event }) => ({
    ...event,
    lastSeenAt: lastSeenAtEpochMs && iso(lastSeenAtEpochMs),
  }));
  return { at: iso(atEpochMs), events: seen, ...rest };
}

function generationView({ endedAtEpochMs, ...generation }: Generation): object {
  return { ...generation, ...explanationOf(generation.code), endedAt: iso(endedAtEpochMs) };
}

function signalView({ code, container, detail, sinceEpochMs }: Signal, nowEpochMs: number): object {
  return {
    code,
    container,
    detail,
    since: iso(sinceEpochMs),
    forSeconds: secondsSince(sinceEpochMs, nowEpochMs),
  };
}

function endingView({ atEpochMs, ...ending }: Ending): object {
  return { ...ending, ...explanationOf(ending.code), at: iso(atEpochMs) };
}

/** Since when a launch is being cleaned up, and when a sweep last repeated the request. */
function cleaningView({ ending, cleanUpAskedAtEpochMs }: LaunchRecord, nowEpochMs: number): object | undefined {
  if (ending === undefined) return undefined;
  return {
    because: ending.message,
    since: iso(ending.atEpochMs),
    forSeconds: secondsSince(ending.atEpochMs, nowEpochMs),
    askedAgainAt: cleanUpAskedAtEpochMs && iso(cleanUpAskedAtEpochMs),
  };
}

function secondsSince(epochMs: number, nowEpochMs: number): number {
  return Math.max(0, Math.round((nowEpochMs - epochMs) / 1000));
}

function explanationOf(code: string): { means?: string; advice?: string } {
  if (!isErrorCode(code)) return {};
  const { means, advice } = errorCodes[code];
  return { means, advice };
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
