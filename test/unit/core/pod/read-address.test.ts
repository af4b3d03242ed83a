import { NodeView, ServiceView } from '../../../../core/pod/kubernetes-objects.ts';
import { chooseHost, hostOf, isToldByNode, missingAddress, nodePortOf } from '../../../../core/pod/read-address.ts';
import { podView } from '../../../support/pod-view.ts';

function serviceView(ports?: { port: number; nodePort?: number }[]): ServiceView {
  const metadata = { name: 'davit-x', namespace: 'davit-agents', uid: 'service-uid-1', resourceVersion: '3' };
  return ServiceView.parse({ metadata, spec: { ports } });
}

describe('the host', () => {
  const status = { hostIP: '10.0.0.7', podIP: '10.244.1.9' };

  test("is the node's address behind a NodePort, and the Pod's own otherwise", () => {
    expect(hostOf(podView(status), 'nodePort')).toBe('10.0.0.7');
    expect(hostOf(podView(status), 'none')).toBe('10.244.1.9');
  });

  test('is undefined when only the other kind of address is known', () => {
    expect(hostOf(podView({ podIP: '10.244.1.9' }), 'nodePort')).toBeUndefined();
    expect(hostOf(podView({ hostIP: '10.0.0.7' }), 'none')).toBeUndefined();
  });

  test.each(['Pending', 'Running', 'Unknown', '', 'Creating'])('is valid in phase %j', (phase) => {
    expect(hostOf(podView({ ...status, phase }), 'nodePort')).toBe('10.0.0.7');
  });

  test.each(['', '0.0.0.0', '::', 'not an address'])('is unknown while %j is reported', (hostIP) => {
    expect(hostOf(podView({ hostIP }), 'nodePort')).toBeUndefined();
  });
});

test('a Pod without a status has no address', () => {
  const unseen = { ...podView(), status: undefined };

  expect([hostOf(unseen, 'nodePort'), hostOf(unseen, 'none')]).toEqual([undefined, undefined]);
  expect(chooseHost(unseen, { expose: 'nodePort', hostAddress: 'hostIPv4' }, undefined)).toBeUndefined();
});

test("only a NodePort needs an address of the Node's own", () => {
  expect(isToldByNode({ expose: 'nodePort', hostAddress: 'nodeExternalIP' })).toBe(true);
  expect(isToldByNode({ expose: 'none', hostAddress: 'nodeExternalIP' })).toBe(false);
});

describe('the address that the profile selects', () => {
  const node = NodeView.parse({
    metadata: { name: 'node-1' },
    status: {
      addresses: [
        { type: 'Hostname', address: 'node-1' },
        { type: 'InternalIP', address: '10.0.0.7' },
        { type: 'ExternalIP', address: '203.0.113.7' },
      ],
    },
  });
  const pod = podView({ hostIP: '10.0.0.7', hostIPs: [{ ip: '10.0.0.7' }, { ip: '2001:db8::7' }] });

  test.each([
    { hostAddress: 'hostIP', host: '10.0.0.7' },
    { hostAddress: 'hostIPv4', host: '10.0.0.7' },
    { hostAddress: 'hostIPv6', host: '2001:db8::7' },
    { hostAddress: 'nodeInternalIP', host: '10.0.0.7' },
    { hostAddress: 'nodeExternalIP', host: '203.0.113.7' },
  ] as const)('as $hostAddress is $host', ({ hostAddress, host }) => {
    expect(chooseHost(pod, { expose: 'nodePort', hostAddress }, node)).toEqual({ host });
  });

  test("is the Pod's own for an agent that is not exposed, whatever its profile asks for", () => {
    const reached = { expose: 'none', hostAddress: 'nodeExternalIP' } as const;

    expect(chooseHost(podView({ podIP: '10.244.1.9' }), reached, node)).toEqual({ host: '10.244.1.9' });
  });

  test.each([
    { hostAddress: 'hostIPv6', detail: 'node node-1 has no hostIPv6, which the profile wants; it has hostIP 10.0.0.7' },
    {
      hostAddress: 'nodeExternalIP',
      detail: 'node node-1 has no nodeExternalIP, which the profile wants; it has InternalIP 10.0.0.8, Hostname node-1',
    },
  ] as const)(
    'as $hostAddress is never of another kind, and the error lists the existing ones',
    ({ hostAddress, detail }) => {
      const addresses = [
        { type: 'InternalIP', address: '10.0.0.8' },
        { type: 'Hostname', address: 'node-1' },
      ];
      const inner = { metadata: { name: 'node-1' }, status: { addresses } };
      const single = podView({ hostIP: '10.0.0.7' });

      expect(chooseHost(single, { expose: 'nodePort', hostAddress }, inner)).toEqual({ detail });
    },
  );

  test.each(['hostIP', 'hostIPv4', 'hostIPv6', 'nodeInternalIP', 'nodeExternalIP'] as const)(
    'as %s is waited for while no usable address is reported',
    (hostAddress) => {
      const reached = { expose: 'nodePort', hostAddress } as const;
      const blank = NodeView.parse({ metadata: { name: 'node-1' } });

      for (const status of [{}, { hostIP: '' }, { hostIP: '0.0.0.0', hostIPs: [{ ip: '::' }, {}] }]) {
        expect(chooseHost(podView(status), reached, undefined)).toBeUndefined();
        expect(chooseHost(podView(status), reached, blank)).toBeUndefined();
      }
    },
  );

  test('is reported as missing once the Pod has a node, and not before', () => {
    const unbound = { ...pod, spec: { ...pod.spec, nodeName: undefined } };
    const told = (expose: 'nodePort' | 'none', hostAddress: 'hostIPv4' | 'nodeExternalIP') =>
      missingAddress(pod, { expose, hostAddress });

    expect(missingAddress(unbound, { expose: 'nodePort', hostAddress: 'hostIP' })).toBeUndefined();
    expect(told('nodePort', 'hostIPv4')).toBe('node node-1 reports no hostIP, which a NodePort needs');
    expect(told('nodePort', 'nodeExternalIP')).toBe(
      'node node-1 reports no address of its own, which a NodePort needs',
    );
    expect(told('none', 'nodeExternalIP')).toBe('node node-1 reports no podIP');
  });
});

describe('the nodePort', () => {
  test("is the node port of the agent's port", () => {
    const service = serviceView([
      { port: 22, nodePort: 30_022 },
      { port: 8811, nodePort: 30_080 },
    ]);

    expect(nodePortOf(service, 8811)).toBe(30_080);
    expect(nodePortOf(serviceView([{ port: 8811, nodePort: 65_535 }]), 8811)).toBe(65_535);
  });

  test.each([
    { fact: 'a Service without ports', ports: undefined },
    { fact: 'a port without a nodePort', ports: [{ port: 8811 }] },
    { fact: 'a nodePort of zero', ports: [{ port: 8811, nodePort: 0 }] },
    { fact: 'an invalid nodePort', ports: [{ port: 8811, nodePort: 65_536 }] },
    { fact: 'the nodePort of another port', ports: [{ port: 22, nodePort: 30_022 }] },
  ])('is unknown from $fact', ({ ports }) => {
    expect(nodePortOf(serviceView(ports), 8811)).toBeUndefined();
  });
});
