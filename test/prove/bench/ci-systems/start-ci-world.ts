import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { presets } from '../../../../core/agent/runner-preset.ts';
import { LaunchStatus } from '../../../../core/launch/launch-record.ts';
import { pauseOf } from '../../../../functions/poll-ci/poll-ci.ts';
import type { HookTarget } from '../../../support/gitlab/start-fake-gitlab.ts';
import { startTestRuntime } from '../../../support/start-test-runtime.ts';
import { withCiServers } from '../../../support/with-ci-servers.ts';
import type { CiSystem, CiSystemKind } from './ci-system.ts';

/** Two fakes of one kind: one with an agent of its own, and one whose agents davit launches. */
export interface CiWorld extends AsyncDisposable {
  withAgent: CiSystem;
  withDavit: CiSystem;
  /** Where davit is told of jobs. */
  hook: HookTarget;
  /** The pause between two of davit's polls; 0 if there are none. */
  pollPauseMs: number;
  /** When davit requested the launch for the job that was queued last, at this moment. @throws Error when it did not */
  askedSince: (queuedAtEpochMs: number) => Promise<number>;
}

const name = 'benched';

/** Starts them, and davit beside them. */
export async function startCiWorld({ provider, labels, agents, start }: CiSystemKind): Promise<CiWorld> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'davit-ci-systems-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  // The stand-ins start in a tenth of a second, after the first time: most of the real programs are single binaries.
  const environment = { ...agents.environment, NODE_COMPILE_CACHE: join(directory, 'compiled') };
  const resources = started.use(new AsyncDisposableStack());
  const withAgent = await start({ directory, environment, resources });
  const withDavit = await start({ directory, environment, resources });
  const servers = { [name]: withDavit.entry };
  const davit = started.use(
    await startTestRuntime({
      changeConfig: (config) => withCiServers(config, { provider, servers, labels, ...agents, environment }),
      secrets: { [`token-${name}`]: withDavit.token },
      sandbox: { images: { [presets[provider].image]: { command: ['sh'] } } },
    }),
  );
  const entry = davit.config.ciSystems.find((system) => system.name === name);
  const hook = { url: `${davit.runtime.url}/webhooks/${name}`, secret: await davit.runtime.webhookSecret(name) };
  const running = started.move();
  return {
    withAgent,
    withDavit,
    hook,
    pollPauseMs: entry === undefined ? 0 : pauseOf(entry),
    askedSince: async (queuedAtEpochMs) => {
      const page = await davit.runtime.ports.launches.list({ statuses: LaunchStatus.options, limit: 100 });
      const asked = page?.launches.find(({ requestedAtEpochMs }) => requestedAtEpochMs >= queuedAtEpochMs);
      if (asked === undefined) throw new Error(`davit has no launch since ${queuedAtEpochMs}`);
      return asked.requestedAtEpochMs;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
