import type { ServiceView } from '../../../core/pod/kubernetes-objects.ts';
import { nodePortOf } from '../../../core/pod/read-address.ts';
import { type Check, type CheckContext, held, notChecked, notHeld } from '../check.ts';
import { servicePort } from '../manifests.ts';
import { refusalOf } from '../refusal-of.ts';
import { until, waitWords } from '../until.ts';

/** A Service gets a node port. */
export const nodePort: Check = {
  name: 'node-port',
  reliesOn: 'a NodePort Service gets a nodePort',
  thenDavit:
    'waits in PollNodePort, and ends the launch after deadlines.nodePortSeconds: NodePortDeadlineExceeded. A profile ' +
    'with `expose: none` needs no node port.',
  run: async (context) => {
    const service = await context.throwaways.service();
    const atOnce = nodePortOf(service, servicePort);
    if (atOnce !== undefined) return held(`the answer to the create has nodePort ${atOnce}`);
    const later = await untilNodePort(context, service);
    if (later !== undefined) return held(`nodePort ${later}, after the answer to the create`);
    return notHeld(`the Service has no nodePort after ${waitWords(context)}`);
  },
};

/** No two Services have one node port, and the refusal has words that davit knows. */
export const nodePortTaken: Check = {
  name: 'node-port-taken',
  reliesOn: 'a nodePort belongs to one Service, and a second one is refused as "provided port is already allocated"',
  thenDavit:
    'asks for no port of its own. If a webhook sets one that is taken, the launch fails with another code than ' +
    'NodePortTaken, at the latest after deadlines.serviceSeconds. If two Services have one port, ' +
    'the address of one agent may lead to another one, and davit does not notice.',
  run: async (context) => {
    const { throwaways } = context;
    const port = await untilNodePort(context, await throwaways.service());
    if (port === undefined) return notChecked(`needs a Service with a nodePort: none after ${waitWords(context)}`);
    const second = throwaways.service({ ports: [{ port: servicePort, nodePort: port }] });
    const refusal = await refusalOf(context, 'create services', second);
    if (refusal === undefined) return notHeld(`two Services have nodePort ${port}`);
    const { words, code } = refusal;
    return code === 'NodePortTaken' ? held(words) : notHeld(`${words}; davit takes it for ${code}`);
  },
};

async function untilNodePort(context: CheckContext, created: ServiceView): Promise<number | undefined> {
  const { name } = created.metadata;
  let service: ServiceView | undefined = created;
  return until(context, async () => {
    const port = service && nodePortOf(service, servicePort);
    service = port === undefined ? await context.throwaways.findService(name) : service;
    return port;
  });
}
