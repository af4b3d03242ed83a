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

test('a job asks for the queue that it is in, whatever it says itself', () => {
  expect(rulesIn('fast', [])).toEqual(['queue=fast']);
  expect(rulesIn('fast', ['queue=fast', 'os=linux'])).toEqual(['queue=fast', 'os=linux']);
});
