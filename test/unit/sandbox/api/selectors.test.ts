import { fieldSelector, labelSelector } from '../../../../sandbox/api/selectors.ts';
import type { KubeObject } from '../../../../sandbox/cluster-store.ts';

const pod = (labels: Record<string, string>, parts: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels },
  ...parts,
});

describe('a label selector', () => {
  const object = pod({ app: 'web', tier: 'front', 'davit.dev/launch-id': 'gh-1', weight: '5' });

  test.each([
    ['', true],
    ['app', true],
    ['!app', false],
    ['!other', true],
    ['app=web', true],
    ['app==web', true],
    ['app!=web', false],
    ['other!=web', true],
    ['app=web,tier=back', false],
    ['davit.dev/launch-id=gh-1', true],
    ['app in (web, api)', true],
    ['app in (api)', false],
    ['app notin (api,db),tier', true],
    ['other notin (api)', true],
    ['other in (api)', false],
    ['weight>4', true],
    ['weight<5', false],
    ['app=', false],
  ])('"%s" on a labelled Pod says %s', (selector, isSelected) => {
    expect(labelSelector(selector)(object)).toBe(isSelected);
  });

  test.each(['app in web', 'a=b=c', 'a b', '=x', 'app in (a', ','])('"%s" is a bad request', (selector) => {
    expect(() => labelSelector(selector)).toThrow(/unable to parse requirement/);
  });
});

describe('a field selector', () => {
  const object = pod({}, { spec: { nodeName: 'n1' }, status: { phase: 'Running' } });

  test.each([
    ['metadata.name=a', true],
    ['metadata.name!=a', false],
    ['metadata.namespace==default,spec.nodeName=n1', true],
    ['status.phase=Pending', false],
    ['status.podIP=', true],
    ['spec.hostNetwork=false', true],
  ])('"%s" on a running Pod says %s', (selector, isSelected) => {
    expect(fieldSelector('pods', selector)(object)).toBe(isSelected);
  });

  test('on an unsupported field is refused as by the real server', () => {
    expect(() => fieldSelector('pods', 'spec.restart=Never')).toThrow('field label not supported: spec.restart');
  });

  test('selects Events by their object', () => {
    const event = pod({}, { kind: 'Event', involvedObject: { kind: 'Pod', name: 'a', uid: 'u' } });

    expect(fieldSelector('events', 'involvedObject.uid=u,involvedObject.kind=Pod')(event)).toBe(true);
    expect(fieldSelector('events', 'involvedObject.uid=v')(event)).toBe(false);
  });
});
