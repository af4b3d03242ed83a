import { askedByRules, rulesIn } from '../../../../ci/buildkite/query-rules.ts';

const offered = new Set(['queue=default', 'os=linux', 'postgres=1.9.4', 'docker', 'size=a.b']);

test.each([
  { rules: ['queue=default'], isMet: true },
  { rules: ['queue=default', 'os=linux'], isMet: true },
  { rules: ['queue=default', 'os=windows'], isMet: false },
  { rules: ['os=*'], isMet: true },
  { rules: ['postgres=1.9.*'], isMet: true },
  { rules: ['postgres=1.8.*'], isMet: false },
  { rules: ['docker'], isMet: true },
  { rules: ['docker=true'], isMet: true },
  { rules: ['docker=*'], isMet: true },
  { rules: ['size=a*b'], isMet: true },
  { rules: ['size=axb'], isMet: false },
  { rules: ['size=.*'], isMet: false },
  { rules: ['OS=linux'], isMet: false },
])('an agent with all tags meets $rules: $isMet', ({ rules, isMet }) => {
  expect(askedByRules(rules).isMetBy(offered)).toBe(isMet);
});

test.each([
  { rule: '*=*', isMet: true },
  { rule: '*=', isMet: false },
  { rule: 'size=a*.*b', isMet: true },
  { rule: 'size=a.*.b', isMet: false },
  { rule: 'os=linux*linux', isMet: false },
  { rule: 'queue=*fault*', isMet: true },
  { rule: 'queue=*fault*fault*', isMet: false },
])('texts between stars stand in their order and do not overlap: $rule: $isMet', ({ rule, isMet }) => {
  expect(askedByRules([rule]).isMetBy(offered)).toBe(isMet);
});

test('a rule of many stars is compared at once', () => {
  const startedAtMs = performance.now();

  const isMet = askedByRules([`${'*'.repeat(15)}=x`]).isMetBy(offered);

  expect(isMet).toBe(false);
  expect(performance.now() - startedAtMs).toBeLessThan(1000);
});

test('a job asks for the queue that it is in, whatever it says itself', () => {
  expect(rulesIn('fast', [])).toEqual(['queue=fast']);
  expect(rulesIn('fast', ['queue=fast', 'os=linux'])).toEqual(['queue=fast', 'os=linux']);
});
