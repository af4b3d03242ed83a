/**
 * Each transition of `core/launch/transitions.ts` without one of its guards: a text that the file has exactly once, and what
 * it becomes.
 */
export const transitionMistakes: Readonly<Record<string, readonly [old: string, changed: string]>> = {
  'request replaces a record': ['  return (record) => record ?? requested;', '  return () => requested;'],
  'a signal is noted of a launch that is over': [
    '    if (!isLive(record) || !isAbout) return record;',
    '    if (!isAbout) return record;',
  ],
  'the state of a Pod is noted after its agent has connected': [
    `    if (record.status !== 'launching' || record.plan?.agentName !== agentName) return record;
    const after = { ...record, podState`,
    `    if (record.plan?.agentName !== agentName) return record;
    const after = { ...record, podState`,
  ],
  'an agent that joins connects without its registration': [
    '    if (!isPresent || record.plan?.join !== undefined) return record;',
    '    if (!isPresent) return record;',
  ],
  'a launch that is over connects': [
    "    const isPresent = record.status === 'launching' && record.plan?.agentName === agentName;",
    '    const isPresent = record.plan?.agentName === agentName;',
  ],
  'a connected launch begins again': [
    "    if (record.status !== 'launching' || record.plan?.agentName !== ended.agentName) return record;",
    '    if (record.plan?.agentName !== ended.agentName) return record;',
  ],
  'an earlier generation begins again': [
    "record.status !== 'launching' || record.plan?.agentName !== ended.agentName",
    "record.status !== 'launching'",
  ],
  'a relaunch keeps the registration': [
    'podState: _podState, registration: _registration, timeline',
    'podState: _podState, timeline',
  ],
  'the last ending stays': ['    if (!isLive(record) || isSpared) return record;', '    if (isSpared) return record;'],
  'the Pod of an agent that had connected is held': [
    "  const isFailedLaunch = status === 'launching' && outcome === 'failed';",
    "  const isFailedLaunch = outcome === 'failed';",
  ],
  'a hold ends before its time': [
    'if (isHeld(record) && record.hold.untilEpochMs <= atEpochMs)',
    'if (isHeld(record))',
  ],
  'a hold ends again and again': [
    "if (isHeld(record) && ending.actor?.kind === 'person')",
    "if (record.hold !== undefined && ending.actor?.kind === 'person')",
  ],
  'an execution ends what has connected': ["      (unlessConnected && record.status === 'connected') ||\n", ''],
  'a retirement ends an agent that runs a job': ['      (unlessRunning && record.runs !== undefined);', '      false;'],
  'a clean-up is claimed by everybody': [
    "    const isFree = record.status === 'cleaning' && (record.cleanUpAskedAtEpochMs ?? 0) <= notSinceEpochMs;",
    '    const isFree = (record.cleanUpAskedAtEpochMs ?? 0) <= notSinceEpochMs;',
  ],
  'a live launch is cleaned': [
    "    record.status === 'cleaning' && record.ending !== undefined\n      ? { ...record, status: record.ending.outcome, ...noted }",
    "    record.status !== 'failed'\n      ? { ...record, status: record.ending?.outcome ?? 'failed', ...noted }",
  ],
  'a late question registers anew': [
    'registration !== undefined && registration.begunAtEpochMs >= askedAtEpochMs;',
    'registration !== undefined && false;',
  ],
  'a registration begins for an agent with a job': [
    'const isFree = isJoinable(record, agentName) && !isStandingBy(record);',
    'const isFree = isPresentAgent(record, agentName) && !isStandingBy(record);',
  ],
  'a registration begins for an agent that stands by': [
    'const isFree = isJoinable(record, agentName) && !isStandingBy(record);',
    'const isFree = isJoinable(record, agentName);',
  ],
  'an agent stands by whose pool has no warm agents': [
    ' || !isFree || record.plan?.join?.standsBy !== true) return record;',
    ' || !isFree) return record;',
  ],
  'an agent stands by after it has begun to register': [
    'record.standby === undefined && record.registration === undefined;',
    'record.standby === undefined;',
  ],
  'an agent is summoned twice': [
    '    if (!isStandingBy(record) || standby === undefined) return record;',
    '    if (!isLive(record) || standby === undefined) return record;',
  ],
  'a renewal is taken back': ['renewals > (standby?.renewals ?? 0);', 'renewals !== standby?.renewals;'],
  'a registration is taken while the launch retires': [
    '    if (!isJoinable(record, agentName) || registration?.nonce !== nonce) return record;',
    '    if (!isPresentAgent(record, agentName) || registration?.nonce !== nonce) return record;',
  ],
  'a registration completes while the launch retires': [
    '    if (!isJoinable(record, agentName) || registration?.nonce !== nonce || !mayHold) return record;',
    '    if (!isLive(record) || registration?.nonce !== nonce || !mayHold) return record;',
  ],
  'a runner that may be there is overwritten': [' || !mayHold) return record;', ') return record;'],
  'the first moment of connecting is lost': [
    '    const connectedAtEpochMs = record.connectedAtEpochMs ?? atEpochMs;',
    '    const connectedAtEpochMs = atEpochMs;',
  ],
  'a job of another CI system is bound': ['join.ciSystem !== ciSystem || ', ''],
  'a second job is bound': [
    '    if (!hasRunner(record, by) || isOther || isKnown) return record;\n    return { ...record, runs: runs ?? {',
    '    if (!hasRunner(record, by) || isKnown && !isOther) return record;\n    return { ...record, runs: {',
  ],
  'an agent with a job is retired': [
    '    const isRetirable = isLive(record) && record.runs === undefined && record.retiring === undefined;',
    '    const isRetirable = isLive(record) && record.retiring === undefined;',
  ],
  'the first moment of deregistering is lost': [
    '    const isNews = record.runner?.id === runnerId && record.deregisteredAtEpochMs === undefined;',
    '    const isNews = record.runner?.id === runnerId;',
  ],
  'a registration completes with any nonce': [
    'registration?.nonce !== nonce || !mayHold) return record;',
    `!mayHold) return record;
    if (registration === undefined) return { ...kept, status: 'connected', connectedAtEpochMs: atEpochMs, runner };`,
  ],
};
