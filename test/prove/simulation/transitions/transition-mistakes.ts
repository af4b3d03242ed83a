/** A guard of `core/launch/transitions.ts` that is taken out or weakened. */
export interface TransitionMistake {
  name: string;
  /** A text that the file has exactly once. */
  old: string;
  new: string;
}

/** Each transition without one of its guards. */
export const transitionMistakes: readonly TransitionMistake[] = [
  {
    name: 'request replaces a record',
    old: '  return (record) => record ?? requested;',
    new: '  return () => requested;',
  },
  {
    name: 'a signal is noted of a launch that is over',
    old: '    if (!isLive(record) || !isAbout) return record;',
    new: '    if (!isAbout) return record;',
  },
  {
    name: 'the state of a Pod is noted after its agent has connected',
    old: `    if (record.status !== 'launching' || record.plan?.agentName !== agentName) return record;
    const after = { ...record, podState`,
    new: `    if (record.plan?.agentName !== agentName) return record;
    const after = { ...record, podState`,
  },
  {
    name: 'an agent that joins connects without its registration',
    old: '    if (!isPresent || record.plan?.join !== undefined) return record;',
    new: '    if (!isPresent) return record;',
  },
  {
    name: 'a launch that is over connects',
    old: "    const isPresent = record.status === 'launching' && record.plan?.agentName === agentName;",
    new: '    const isPresent = record.plan?.agentName === agentName;',
  },
  {
    name: 'a connected launch begins again',
    old: "    if (record.status !== 'launching' || record.plan?.agentName !== ended.agentName) return record;",
    new: '    if (record.plan?.agentName !== ended.agentName) return record;',
  },
  {
    name: 'an earlier generation begins again',
    old: "record.status !== 'launching' || record.plan?.agentName !== ended.agentName",
    new: "record.status !== 'launching'",
  },
  {
    name: 'a relaunch keeps the registration',
    old: 'podState: _podState, registration: _registration, timeline',
    new: 'podState: _podState, timeline',
  },
  {
    name: 'the last ending stays',
    old: '    if (!isLive(record) || isSpared) return record;',
    new: '    if (isSpared) return record;',
  },
  {
    name: 'the Pod of an agent that had connected is held',
    old: "  const isFailedLaunch = status === 'launching' && outcome === 'failed';",
    new: "  const isFailedLaunch = outcome === 'failed';",
  },
  {
    name: 'a hold ends before its time',
    old: 'if (isHeld(record) && record.hold.untilEpochMs <= atEpochMs)',
    new: 'if (isHeld(record))',
  },
  {
    name: 'a hold ends again and again',
    old: "if (isHeld(record) && ending.actor?.kind === 'person')",
    new: "if (record.hold !== undefined && ending.actor?.kind === 'person')",
  },
  {
    name: 'an execution ends what has connected',
    old: "      (unlessConnected && record.status === 'connected') ||\n",
    new: '',
  },
  {
    name: 'a retirement ends an agent that runs a job',
    old: '      (unlessRunning && record.runs !== undefined);',
    new: '      false;',
  },
  {
    name: 'a clean-up is claimed by everybody',
    old: "    const isFree = record.status === 'cleaning' && (record.cleanUpAskedAtEpochMs ?? 0) <= notSinceEpochMs;",
    new: '    const isFree = (record.cleanUpAskedAtEpochMs ?? 0) <= notSinceEpochMs;',
  },
  {
    name: 'a live launch is cleaned',
    old: "    record.status === 'cleaning' && record.ending !== undefined\n      ? { ...record, status: record.ending.outcome, ...noted }",
    new: "    record.status !== 'failed'\n      ? { ...record, status: record.ending?.outcome ?? 'failed', ...noted }",
  },
  {
    name: 'a late question registers anew',
    old: 'registration !== undefined && registration.begunAtEpochMs >= askedAtEpochMs;',
    new: 'registration !== undefined && false;',
  },
  {
    name: 'a registration begins for an agent with a job',
    old: 'const isFree = isJoinable(record, agentName) && !isStandingBy(record);',
    new: 'const isFree = isPresentAgent(record, agentName) && !isStandingBy(record);',
  },
  {
    name: 'a registration begins for an agent that stands by',
    old: 'const isFree = isJoinable(record, agentName) && !isStandingBy(record);',
    new: 'const isFree = isJoinable(record, agentName);',
  },
  {
    name: 'an agent stands by whose pool has no warm agents',
    old: ' || !isFree || record.plan?.join?.standsBy !== true) return record;',
    new: ' || !isFree) return record;',
  },
  {
    name: 'an agent stands by after it has begun to register',
    old: 'record.standby === undefined && record.registration === undefined;',
    new: 'record.standby === undefined;',
  },
  {
    name: 'an agent is summoned twice',
    old: '    if (!isStandingBy(record) || standby === undefined) return record;',
    new: '    if (!isLive(record) || standby === undefined) return record;',
  },
  {
    name: 'a renewal is taken back',
    old: 'renewals > (standby?.renewals ?? 0);',
    new: 'renewals !== standby?.renewals;',
  },
  {
    name: 'a registration is taken while the launch retires',
    old: '    if (!isJoinable(record, agentName) || registration?.nonce !== nonce) return record;',
    new: '    if (!isPresentAgent(record, agentName) || registration?.nonce !== nonce) return record;',
  },
  {
    name: 'a registration completes while the launch retires',
    old: '    if (!isJoinable(record, agentName) || registration?.nonce !== nonce || !mayHold) return record;',
    new: '    if (!isLive(record) || registration?.nonce !== nonce || !mayHold) return record;',
  },
  {
    name: 'a runner that may be there is overwritten',
    old: ' || !mayHold) return record;',
    new: ') return record;',
  },
  {
    name: 'the first moment of connecting is lost',
    old: '    const connectedAtEpochMs = record.connectedAtEpochMs ?? atEpochMs;',
    new: '    const connectedAtEpochMs = atEpochMs;',
  },
  { name: 'a job of another CI system is bound', old: 'join.ciSystem !== ciSystem || ', new: '' },
  {
    name: 'a second job is bound',
    old: '    if (!hasRunner(record, by) || isOther || isKnown) return record;\n    return { ...record, runs: runs ?? {',
    new: '    if (!hasRunner(record, by) || isKnown && !isOther) return record;\n    return { ...record, runs: {',
  },
  {
    name: 'an agent with a job is retired',
    old: '    const isRetirable = isLive(record) && record.runs === undefined && record.retiring === undefined;',
    new: '    const isRetirable = isLive(record) && record.retiring === undefined;',
  },
  {
    name: 'the first moment of deregistering is lost',
    old: '    const isNews = record.runner?.id === runnerId && record.deregisteredAtEpochMs === undefined;',
    new: '    const isNews = record.runner?.id === runnerId;',
  },
  {
    name: 'a registration completes with any nonce',
    old: 'registration?.nonce !== nonce || !mayHold) return record;',
    new: `!mayHold) return record;
    if (registration === undefined) return { ...kept, status: 'connected', connectedAtEpochMs: atEpochMs, runner };`,
  },
];
