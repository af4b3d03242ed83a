import { describe, expect, test } from '@jest/globals';
import { ServiceView } from '../../../../functions/domain/kubernetes-objects.ts';
import { hostOf, nodePortOf } from '../../../../functions/domain/read-address.ts';
import { podView } from '../../../support/pod-view.ts';

function serviceView(ports?: { port: number; nodePort?: number }[]): ServiceView {
  const metadata = { name: 'davit-x', namespace: 'davit-agents', uid: 'service-uid-1', resourceVersion: '3' };
  return ServiceView.parse({ metadata, spec: { ports } });
}

describe('the host', () => {
  const status = { hostIP: '10.0.0.7', podIP: '10.244.1.9' };

  test('is the node’s address behind a NodePort, and the Pod’s own otherwise', () => {
    expect(hostOf(podView(status), 'nodePort')).toBe('10.0.0.7');
    expect(hostOf(podView(status), 'none')).toBe('10.244.1.9');
  });

  test('of one kind never stands in for the other', () => {
    expect(hostOf(podView({ podIP: '10.244.1.9' }), 'nodePort')).toBeUndefined();
    expect(hostOf(podView({ hostIP: '10.0.0.7' }), 'none')).toBeUndefined();
  });

  test.each(['Pending', 'Running', 'Unknown', '', 'Creating'])('is good in phase %j', (phase) => {
    expect(hostOf(podView({ ...status, phase }), 'nodePort')).toBe('10.0.0.7');
  });

  test.each(['', '0.0.0.0', '::', 'not an address'])('is not known while %j is reported', (hostIP) => {
    expect(hostOf(podView({ hostIP }), 'nodePort')).toBeUndefined();
  });
});

describe('the nodePort', () => {
  test('is the one of the agent’s port', () => {
    const service = serviceView([
      { port: 22, nodePort: 30_022 },
      { port: 8811, nodePort: 30_080 },
    ]);

    expect(nodePortOf(service, 8811)).toBe(30_080);
  });

  test.each([
    { fact: 'a Service without ports', ports: undefined },
    { fact: 'a port without a nodePort', ports: [{ port: 8811 }] },
    { fact: 'a nodePort of zero', ports: [{ port: 8811, nodePort: 0 }] },
    { fact: 'a nodePort that is no port', ports: [{ port: 8811, nodePort: 65_536 }] },
    { fact: 'the nodePort of another port', ports: [{ port: 22, nodePort: 30_022 }] },
  ])('is not known from $fact', ({ ports }) => {
    expect(nodePortOf(serviceView(ports), 8811)).toBeUndefined();
  });
});
