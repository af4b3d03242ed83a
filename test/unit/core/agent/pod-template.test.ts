import { DnsLabel, PodTemplate, PodTemplateFragment } from '../../../../core/agent/pod-template.ts';

test.each(['a', '7', 'a-7', 'a'.repeat(63)])('%j is a DNS label', (text) => {
  expect(DnsLabel.safeParse(text).success).toBe(true);
});

test.each(['', '-a', 'a-', 'A', 'a.b', 'a'.repeat(64), 'a\n'])(
  '%j is not, and is refused with what was expected',
  (text) => {
    expect(DnsLabel.safeParse(text).error?.issues).toMatchObject([
      { message: 'expected a DNS label: up to 63 of a-z, 0-9 and -' },
    ]);
  },
);

const agent = { name: 'agent', image: 'registry.example/agent:1' };

describe('a template', () => {
  test('keeps the fields of Kubernetes that davit does not know', () => {
    const template = {
      metadata: { labels: { team: 'builds' } },
      spec: {
        nodeSelector: { disk: 'fast' },
        initContainers: [{ name: 'fetch', tty: true }],
        containers: [{ ...agent, env: [{ name: 'COLOUR', value: 'red' }], resources: { limits: { cpu: 4 } } }],
        hostNetwork: true,
      },
    };

    expect(PodTemplate.parse(template)).toEqual(template);
    expect(PodTemplateFragment.parse(template)).toEqual(template);
  });

  test.each([
    { spec: { containers: [] } },
    { spec: { containers: [{ ...agent, name: 'The Agent' }] } },
    { spec: { containers: [{ ...agent, image: '' }] } },
    { spec: { containers: [{ ...agent, env: [{ value: 'red' }] }] } },
    { spec: { containers: [{ ...agent, resources: { requests: 4 } }] } },
    { spec: { containers: [{ ...agent, resources: { limits: 4 } }] } },
    { spec: { containers: [agent], initContainers: [{ image: 'registry.example/fetch:1' }] } },
    { spec: { containers: [agent], nodeSelector: { disk: 7 } } },
    { spec: { containers: [agent] }, kind: 'Pod' },
  ])('cannot be %j, and neither can its part', (template) => {
    expect(PodTemplate.safeParse(template).success).toBe(false);
    expect(PodTemplateFragment.safeParse(template).success).toBe(false);
  });

  test.each([{}, { spec: {} }, { spec: { containers: [{ name: 'agent' }] } }])(
    'may leave out, as a part, %j',
    (part) => {
      expect(PodTemplate.safeParse(part).success).toBe(false);
      expect(PodTemplateFragment.parse(part)).toEqual(part);
    },
  );

  test('has labels and annotations only, beside its spec', () => {
    const messageOf = (metadata: unknown) =>
      PodTemplate.safeParse({ metadata, spec: { containers: [agent] } }).error?.issues[0]?.message;
    const onlyThese = 'expected labels and annotations only (davit sets the rest)';

    expect(messageOf({ labels: {}, annotations: {} })).toBeUndefined();
    expect(messageOf({ name: 'mine' })).toBe(onlyThese);
    expect(messageOf('mine')).toMatch(/expected object/);
  });
});
