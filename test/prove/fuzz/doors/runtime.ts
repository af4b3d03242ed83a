import assert from 'node:assert/strict';
import type { Config } from '../../../../core/config/config.ts';
import { startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { defineDoor } from '../door.ts';
import { anyRawRequest, bytesOf, isWhole, type Keys } from '../http/any-raw-request.ts';
import { exchange, statusesOf } from '../http/raw-http.ts';

/**
 * The whole local runtime over a real socket: gateway, functions in their threads, tables, secrets. No profile matches
 * the jobs, so no agent starts. Accepted requests have valid signatures, and request nothing.
 */
export const runtimeDoor = defineDoor({
  inputs: anyRawRequest,
  open: async (opened) => {
    const { runtime } = opened.use(await startAwsTestRuntime({ changeConfig: takingNobody }));
    const keys: Keys = {
      webhook: await runtime.webhookSecret('github'),
      credential: runtime.secrets.get(runtime.services.credentialKeySecret) ?? '',
    };
    const port = Number(new URL(runtime.url).port);
    return async (raw) => {
      const answer = await exchange(port, bytesOf(raw, keys), isWhole(raw, keys));
      const statuses = statusesOf(answer);
      assert.ok(answer === '' || statuses.length > 0, `no HTTP came back: ${answer.slice(0, 200)}`);
      // There is no launch, so no agent has to wait either.
      assert.ok(!statuses.some((status) => status >= 500), `answered ${statuses.join()}: ${answer}`);
      assert.ok(!statuses.includes(202), `something was launched: ${answer}`);
      for (const secret of Object.values(keys)) assert.ok(!answer.includes(secret), 'a secret came back');
      return statuses.length === 0 ? 'hung up' : statuses.join(', ');
    };
  },
});

function takingNobody(config: Config): Config {
  const profiles = config.profiles.map((profile) => ({ ...profile, name: `${profile.name}-x`, labels: ['nobody'] }));
  return { ...config, profiles };
}
