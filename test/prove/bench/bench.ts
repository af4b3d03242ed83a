import type { Config, Profile } from '../../../core/config/config.ts';
import type { ApiClient } from '../../contract/api-client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { namespace } from '../cluster/credentials.ts';
import { until } from '../cluster/until.ts';
import type { ProfileName } from '../on-cluster/config.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import type { AuditLog } from './audit-log.ts';
import type { BareCalls } from './bare-calls.ts';
import type { Figure } from './figure.ts';
import type { OwnSteps } from './own-steps.ts';
import type { Size } from './size.ts';
import type { Launcher } from './timelines.ts';

/** The environment of a measure. */
export interface Bench {
  cluster: Cluster;
  /** A client with full rights. */
  api: ApiClient;
  config: Config;
  davit: LiveDavit;
  /** Waits until no scheduled sweep runs or is due within this time. */
  untilUnswept: (forMs: number) => Promise<unknown>;
  launcher: Launcher;
  bare: BareCalls;
  own: OwnSteps;
  audit: AuditLog;
  size: Size;
  /** Reports progress. */
  say: (text: string) => void;
}

/** A measure that uses the shared cluster. */
export interface Measure {
  take: (bench: Bench) => Promise<Figure[]>;
}

/** The environment of a measure that needs no cluster, or starts its own. */
export interface LocalBench extends Pick<Bench, 'size' | 'say'> {
  /** Disposed of at the end, also when the bench is interrupted during the measure. */
  resources: AsyncDisposableStack;
}

/** A measure that needs no cluster, or starts its own. */
export interface LocalMeasure {
  takeLocally: (bench: LocalBench) => Promise<Figure[]>;
}

/** The contenders' names in figures. */
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

/** Waits until an agent's Service and Pod are gone. */
export async function untilGone(api: ApiClient, agentName: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/services/${agentName}`;
  // The Pod, as dependent, blocks the Service's deletion until it is gone itself.
  await until(`${agentName} is gone`, goneWithinMs, async () => (await api.send(path)).status === 404);
}

let lastName = 0;

/** A new launch id. */
export function newLaunchId(): string {
  lastName += 1;
  return `bench-${process.pid}-${lastName}`;
}
