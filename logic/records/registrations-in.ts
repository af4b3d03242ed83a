import { isJoinable, type LaunchRecord } from '../../core/launch/launch-record.ts';
import {
  beginRegistration,
  bindJob,
  completeRegistration,
  hasCompleted,
  hasRunner,
  markRetiring,
  noteDeregistered,
  noteRenewal,
  standBy,
  summon,
  takeRegistration,
} from '../../core/launch/transitions.ts';
import type { Transition } from '../../core/transition.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import type { Registrations } from '../../ports/registrations.ts';
import { changeRecord } from './change-record.ts';

/** The registrations of launches, in the store of the launches' records. */
export function registrationsIn(store: RecordStore<LaunchRecord>): Registrations {
  const change = async (
    key: string,
    name: keyof Registrations,
    transition: Transition<LaunchRecord>,
  ): Promise<LaunchRecord | undefined> => (await changeRecord(store, { key, name, transition })).record;
  return {
    async standBy({ launchId, agentName }, atEpochMs, timeline) {
      const record = await change(launchId, 'standBy', standBy(agentName, atEpochMs, timeline));
      return isJoinable(record, agentName) ? record : undefined;
    },
    async noteRenewal({ launchId, agentName }, renewals) {
      const record = await change(launchId, 'noteRenewal', noteRenewal(agentName, renewals));
      return isJoinable(record, agentName) ? record : undefined;
    },
    async summon(launchId, jobKey, atEpochMs) {
      const record = await change(launchId, 'summon', summon(jobKey, atEpochMs));
      return record?.standby?.summons?.jobKey === jobKey && isJoinable(record, record.plan?.agentName ?? '');
    },
    async begin({ launchId, agentName }, nonce, askedAtEpochMs, timeline) {
      const record = await change(launchId, 'begin', beginRegistration(agentName, nonce, askedAtEpochMs, timeline));
      return isJoinable(record, agentName) ? record : undefined;
    },
    async take({ launchId, agentName }, nonce, ownNonce) {
      const record = await change(launchId, 'take', takeRegistration(agentName, nonce, ownNonce));
      return isJoinable(record, agentName) && record?.registration?.nonce === ownNonce ? record : undefined;
    },
    async complete({ launchId, agentName }, nonce, runner, atEpochMs) {
      const record = await change(launchId, 'complete', completeRegistration(agentName, nonce, runner, atEpochMs));
      return hasCompleted(record, agentName, nonce, runner) ? record?.plan : undefined;
    },
    async bind(launchId, runner, job, atEpochMs) {
      const record = await change(launchId, 'bind', bindJob(runner, job, atEpochMs));
      return hasRunner(record, runner) ? record : undefined;
    },
    async retire(launchId, reason, atEpochMs) {
      return change(launchId, 'retire', markRetiring(reason, atEpochMs));
    },
    async noteDeregistered(launchId, runnerId, atEpochMs) {
      await change(launchId, 'noteDeregistered', noteDeregistered(runnerId, atEpochMs));
    },
  };
}
