import type { Config, Profile } from '../../functions/domain/config.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { namespace } from '../cluster/credentials.ts';
import { until } from '../cluster/until.ts';
import type { ApiClient } from '../contract/api-client.ts';
import type { ProfileName } from '../on-cluster/config.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import type { AuditLog } from './audit-log.ts';
import type { BareCalls } from './bare-calls.ts';
import type { Figure } from './figure.ts';
import type { OwnSteps } from './own-steps.ts';
import type { Size } from './size.ts';
import type { Launcher } from './timelines.ts';

/** What a measure is taken with. */
export interface Bench {
  cluster: Cluster;
  /** With full rights. */
  api: ApiClient;
  config: Config;
  davit: LiveDavit;
  /** Waits until none of the sweeps that davit makes by itself is under way, or begins within so long. */
  untilUnswept: (forMs: number) => Promise<unknown>;
  launcher: Launcher;
  bare: BareCalls;
  own: OwnSteps;
  audit: AuditLog;
  size: Size;
  /** Says how far it has come. */
  say: (text: string) => void;
}

/** One thing to measure. */
export interface Measure {
  name: string;
  about: string;
  take: (bench: Bench) => Promise<Figure[]>;
}

/** One thing to measure that needs no cluster. */
export interface LocalMeasure {
  name: string;
  about: string;
  takeLocally: (bench: Pick<Bench, 'size' | 'say'>) => Promise<Figure[]>;
}

/** The names of those who launch, as figures have them. */
export const contenders = {
  bare: 'the bare calls',
  own: "davit's own steps",
  davit: 'davit, local runtime',
} as const;

/** @throws RangeError when the config has no such profile */
export function profileOf({ config }: Pick<Bench, 'config'>, name: ProfileName): Profile {
  const profile = config.profiles.find((each) => each.name === name);
  if (profile === undefined) throw new RangeError(`the config has no profile ${name}`);
  return profile;
}

const goneWithinMs = 120_000;

/** Waits until an agent has neither Service nor Pod. */
export async function untilGone(api: ApiClient, agentName: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/services/${agentName}`;
  // The Pod holds its Service until it is gone itself.
  await until(`${agentName} is gone`, goneWithinMs, async () => (await api.send(path)).status === 404);
}

let lastName = 0;

/** A launch id that nothing has. */
export function newLaunchId(): string {
  lastName += 1;
  return `bench-${process.pid}-${lastName}`;
}
