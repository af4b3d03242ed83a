import { errorCodes, isErrorCode } from '../domain/error-codes.ts';
import type { Ending, LaunchRecord, Signal } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import { agentNameOf } from '../domain/names.ts';

/**
 * Makes what people are shown of a launch: moments in ISO 8601, what an error code means and what to do about it, and
 * of the environment nothing but the names. A field without a value is left out of the JSON.
 */
export function launchView(record: LaunchRecord, nowEpochMs: number): object {
  return {
    launchId: record.launchId,
    agentName: agentNameOf(record.launchId),
    status: record.status,
    requestedAt: iso(record.requestedAtEpochMs),
    connectedAt: record.connectedAtEpochMs && iso(record.connectedAtEpochMs),
    signal: record.signal && signalView(record.signal, nowEpochMs),
    ending: record.ending && endingView(record.ending),
    cleanedAt: record.cleanedAtEpochMs && iso(record.cleanedAtEpochMs),
    plan: record.plan && planView(record.plan),
    labels: record.labels,
    envNames: record.env && Object.keys(record.env),
    forgottenAt: iso(record.expiresAtEpochSeconds * 1000),
  };
}

function planView({
  launchId: _launchId,
  agentName: _agentName,
  requestedAtEpochMs: _at,
  ...plan
}: LaunchPlan): object {
  return plan;
}

function signalView({ code, says, sinceEpochMs }: Signal, nowEpochMs: number): object {
  return {
    code,
    says,
    since: iso(sinceEpochMs),
    forSeconds: Math.max(0, Math.round((nowEpochMs - sinceEpochMs) / 1000)),
  };
}

function endingView({ atEpochMs, ...ending }: Ending): object {
  const known = isErrorCode(ending.code) ? errorCodes[ending.code] : undefined;
  return { ...ending, means: known?.means, advice: known?.advice, at: iso(atEpochMs) };
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
