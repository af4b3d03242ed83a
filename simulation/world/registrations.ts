import type { CiRunner } from '../../functions/domain/ci-scope.ts';
import { isJoinable, isLive, type LaunchRecord } from '../../functions/domain/launch-record.ts';
import type { LaunchPlan } from '../../functions/domain/launch-state.ts';
import type { LaunchId } from '../../functions/domain/names.ts';
import { present } from '../../functions/domain/present.ts';
import type { Timeline } from '../../functions/domain/timeline.ts';
import type { BoundJob, Registrations } from '../../functions/ports/registrations.ts';
import type { Invocation } from './invocation.ts';
import type { LaunchesTable } from './launches-table.ts';

/** The launches' records, each call one request to their store. */
export interface LaunchRecords {
  get(launchId: string): Promise<LaunchRecord | undefined>;
  /** Changes a record if the condition holds. @returns the new record */
  updateIf(
    launchId: string,
    condition: (record: LaunchRecord) => boolean,
    change: (record: LaunchRecord) => LaunchRecord,
  ): Promise<LaunchRecord | undefined>;
}

type Agent = Parameters<Registrations['begin']>[0];

/** Keeps registrations in launches' records, request by request as the DynamoDB adapter makes them. */
export class RegistrationsIn implements Registrations {
  readonly #records: LaunchRecords;

  constructor(records: LaunchRecords) {
    this.#records = records;
  }

  async begin({ launchId, agentName }: Agent, nonce: string, askedAtEpochMs: number, timeline?: Timeline) {
    const first = await this.#records.updateIf(
      launchId,
      (record) => isJoinable(record, agentName) && record.registration === undefined,
      (record) => ({
        ...record,
        registration: { nonce, begunAtEpochMs: askedAtEpochMs, count: 1 },
        ...present({ timeline }),
      }),
    );
    if (first !== undefined) return first;
    const another = await this.#records.updateIf(
      launchId,
      (record) => isJoinable(record, agentName) && (record.registration?.begunAtEpochMs ?? Infinity) <= askedAtEpochMs,
      (record) => ({
        ...record,
        registration: { nonce, begunAtEpochMs: askedAtEpochMs, count: (record.registration?.count ?? 0) + 1 },
        ...present({ timeline }),
      }),
    );
    if (another !== undefined) return another;
    const record = await this.#records.get(launchId);
    return isJoinable(record, agentName) ? record : undefined;
  }

  async take({ launchId, agentName }: Agent, nonce: string, ownNonce: string) {
    return this.#records.updateIf(
      launchId,
      (record) => isJoinable(record, agentName) && [nonce, ownNonce].includes(record.registration?.nonce ?? ''),
      (record) => ({ ...record, registration: record.registration && { ...record.registration, nonce: ownNonce } }),
    );
  }

  async complete(
    { launchId, agentName }: Agent,
    nonce: string,
    runner: CiRunner,
    atEpochMs: number,
  ): Promise<LaunchPlan | undefined> {
    const completed = await this.#records.updateIf(
      launchId,
      (record) =>
        isJoinable(record, agentName) &&
        record.registration?.nonce === nonce &&
        (record.runner === undefined || record.runner.id === runner.id || record.deregisteredAtEpochMs !== undefined),
      ({ deregisteredAtEpochMs: _deregisteredAt, signal: _signal, ...record }) => ({
        ...record,
        status: 'connected',
        connectedAtEpochMs: record.connectedAtEpochMs ?? atEpochMs,
        runner,
      }),
    );
    return completed?.plan;
  }

  async bind(
    launchId: LaunchId,
    runnerId: number,
    job: BoundJob,
    sinceEpochMs: number,
  ): Promise<LaunchRecord | undefined> {
    const { end, ...run } = job;
    const bound = await this.#records.updateIf(
      launchId,
      ({ runner, runs }) => runner?.id === runnerId && (runs === undefined || runs.jobKey === run.jobKey),
      (record) => ({
        ...record,
        runs: record.runs ?? { ...run, sinceEpochMs },
        ...(end && { ran: record.ran ?? end }),
      }),
    );
    if (bound !== undefined) return bound;
    const record = await this.#records.get(launchId);
    if (record?.runner?.id !== runnerId) return undefined;
    return record.runs === undefined ? this.bind(launchId, runnerId, job, sinceEpochMs) : record;
  }

  async retire(launchId: LaunchId, reason: string, sinceEpochMs: number): Promise<LaunchRecord | undefined> {
    const retired = await this.#records.updateIf(launchId, isRetirable, (record) => ({
      ...record,
      retiring: record.retiring ?? { reason, sinceEpochMs },
    }));
    if (retired !== undefined) return retired;
    const record = await this.#records.get(launchId);
    return record !== undefined && isRetirable(record) ? this.retire(launchId, reason, sinceEpochMs) : record;
  }

  async noteDeregistered(launchId: LaunchId, runnerId: number, atEpochMs: number): Promise<void> {
    await this.#records.updateIf(
      launchId,
      ({ runner }) => runner?.id === runnerId,
      (record) => ({ ...record, deregisteredAtEpochMs: record.deregisteredAtEpochMs ?? atEpochMs }),
    );
  }
}

/** The simulated launches table's registrations, as one run of a function reaches them. */
export function simulatedRegistrations(table: LaunchesTable, invocation: Invocation): Registrations {
  return new RegistrationsIn({
    get: (launchId) => invocation.reads('store', () => table.get(launchId)),
    updateIf: (launchId, condition, change) =>
      invocation.writes('store', () => table.updateIf(launchId, condition, change)),
  });
}

function isRetirable(record: LaunchRecord): boolean {
  return isLive(record) && record.runs === undefined;
}
