import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';
import * as z from 'zod';
import { agentPod, agentService } from '../../../core/agent/agent-objects.ts';
import type { Profile } from '../../../core/config/config.ts';
import { labelKeys } from '../../../core/launch/names.ts';
import { planLaunch } from '../../../core/launch/plan-launch.ts';
import type { Manifest } from '../../../core/pod/manifest.ts';

/** The lower bound of a launch: the unavoidable calls to Kubernetes, one after another, and nothing else. */
export interface BareCalls extends Disposable {
  /**
   * Creates the Service and the Pod as davit does, and watches until the Pod has a hostIP.
   *
   * @throws Error with the Pod's conditions when it has none after a minute
   */
  launch(profile: Profile, launchId: string): Promise<void>;
  /** Deletes both. */
  remove(launchId: string): Promise<void>;
}

const Created = z.object({ metadata: z.object({ uid: z.string(), resourceVersion: z.string() }) });
const Status = z.object({
  hostIP: z.string().optional(),
  conditions: z.array(z.object({ message: z.string().optional() })).default([]),
});
const Watched = z.object({ object: z.object({ status: Status }) });
const longestWatchSeconds = 60;
const credential = 'x'.repeat(300);

/** Makes the calls with Node's own HTTPS client, over keep-alive connections. */
export function makeBareCalls(kubeconfig: string): BareCalls {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(kubeconfig);
  const { server = '', caData = '' } = kubeConfig.getCurrentCluster() ?? {};
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(caData, 'base64').toString() });
  const headers = { authorization: `Bearer ${kubeConfig.getCurrentUser()?.token}`, 'user-agent': 'bare-calls' };

  async function send(method: string, path: string, body?: object): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const described = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload ?? '') };
    const options = { method, agent, headers: { ...headers, ...(payload === undefined ? {} : described) } };
    request(`${server}${path}`, options).once('response', resolve).on('error', reject).end(payload);
    const answer = await promise;
    if ((answer.statusCode ?? 0) < 300) return answer;
    const refusal = await text(answer);
    // Concurrent creates conflict in the quota's bookkeeping: the server asks the client to retry.
    if (answer.statusCode === 409 && refusal.includes('resourcequotas')) return send(method, path, body);
    throw new Error(`${method} ${path}: ${answer.statusCode} ${refusal}`);
  }
  const create = async (resource: string, manifest: Manifest) => {
    const answer = await send('POST', `${namespaceOf(manifest)}/${resource}`, manifest);
    return Created.parse(JSON.parse(await text(answer))).metadata;
  };
  const namespaces = new Map<string, string>();

  return {
    launch: async (profile, launchId) => {
      const plan = planLaunch(profile, { launchId }, Date.now());
      const service = notDavits(agentService(plan));
      namespaces.set(launchId, namespaceOf(service));
      const { uid } = await create('services', service);
      const env = {
        DAVIT_CONNECT_URL: 'http://127.0.0.1',
        DAVIT_AGENT_NAME: plan.agentName,
        DAVIT_CREDENTIAL: credential,
      };
      const extras = { env, labels: {}, credentialId: launchId, serviceUid: uid };
      const { resourceVersion } = await create('pods', notDavits(agentPod(plan, profile, extras)));
      const query = `watch=true&timeoutSeconds=${longestWatchSeconds}&fieldSelector=metadata.name%3D${plan.agentName}&resourceVersion=${resourceVersion}`;
      const watch = await send('GET', `${namespaceOf(service)}/pods?${query}`);
      let words = '';
      for await (const line of createInterface({ input: watch })) {
        const { hostIP, conditions } = Watched.parse(JSON.parse(line)).object.status;
        if (hostIP !== undefined) return void watch.destroy();
        words = conditions.flatMap(({ message }) => message ?? []).join('; ');
      }
      throw new Error(`${plan.agentName} has no hostIP after ${longestWatchSeconds} s: ${words}`);
    },
    remove: async (launchId) => {
      const path = `${namespaces.get(launchId)}/services/davit-${launchId}`;
      await text(await send('DELETE', path, { propagationPolicy: 'Foreground' }));
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

const namespaceOf = ({ metadata }: Manifest): string => `/api/v1/namespaces/${metadata.namespace}`;

/**
 * Removes the launch id: the admission policy requires davit's label, and a sweep skips objects without a launch id.
 */
function notDavits(manifest: Manifest): Manifest {
  const { [labelKeys.launchId]: _launchId, ...labels } = manifest.metadata.labels;
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}
