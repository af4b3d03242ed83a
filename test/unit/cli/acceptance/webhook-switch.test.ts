import type { RepositoryWebhook } from '../../../../cli/acceptance/acceptance-ci.ts';
import { acceptanceSystem } from '../../../../cli/acceptance/open-ci.ts';
import { ownWebhook } from '../../../../cli/acceptance/own-webhook.ts';
import { type SwitchedWebhook, webhookSwitch } from '../../../../cli/acceptance/webhook-switch.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';

const url = 'https://davit.example.com/webhooks/gitea';
const own: RepositoryWebhook = { id: 7, url, isActive: true, sendsJobs: true };

interface Differences extends Partial<Omit<SwitchedWebhook, 'webhooks' | 'onLeft'>> {
  hooks?: RepositoryWebhook[];
  /** Called before each change. */
  onChange?: (isActive: boolean) => void;
}

function makeSwitch({ hooks = [own], onChange, ...options }: Differences = {}) {
  const calls: string[] = [];
  const left: string[] = [];
  const made = webhookSwitch({
    webhooks: {
      list: async () => hooks,
      setActive: async (id, isActive, secret) => {
        calls.push(`${id} ${isActive ? 'on' : 'off'} ${secret}`);
        onChange?.(isActive);
      },
    },
    url,
    readSecret: async () => 's3cret',
    listShared: async () => [],
    onLeft: (words) => left.push(words),
    pauseMs: 1,
    ...options,
  });
  async function whileOff(work: () => Promise<void>) {
    const found = await made.find();
    return 'needs' in found ? found : found.whileOff(work);
  }
  return { calls, left, whileOff };
}

const answeredBy = (isOn: boolean, error: Error) => (isActive: boolean) => {
  if (isActive === isOn) throw error;
};
const noAnswer = new TransientError('CiUnavailable', 'no answer');

test.each<[what: string, Differences, work: Error | undefined, thrown: string | undefined, calls: string[]]>([
  ['is off while the work is done, and keeps its secret', {}, undefined, undefined, ['7 off', 'work', '7 on']],
  ['is on again after an error', {}, new Error('stopped'), 'stopped', ['7 off', 'work', '7 on']],
  [
    'may be off when that got no answer, and is turned on',
    { onChange: answeredBy(false, noAnswer) },
    undefined,
    'no answer',
    ['7 off', '7 on'],
  ],
])('the webhook %s', async (_what, differences, error, thrown, expected) => {
  const { calls, left, whileOff } = makeSwitch(differences);

  const done = whileOff(async () => {
    calls.push('work');
    if (error !== undefined) throw error;
  });

  if (thrown === undefined) await done;
  else await expect(done).rejects.toThrow(thrown);
  expect(calls).toEqual(expected.map((call) => (call === 'work' ? call : `${call} s3cret`)));
  expect(left).toEqual([]);
});

test('the webhook is turned on again until the CI system answers', async () => {
  let failures = 3;
  const { calls, left, whileOff } = makeSwitch({
    onChange: (isActive) => {
      if (isActive && failures-- > 0) throw noAnswer;
    },
  });

  await whileOff(async () => {});

  expect(calls.filter((call) => call.includes('on'))).toHaveLength(4);
  expect(left).toEqual([]);
});

test('a webhook that cannot be turned on again is named', async () => {
  const { left, whileOff } = makeSwitch({ onChange: answeredBy(true, new TerminalError('CiRefused', '403')) });

  await whileOff(async () => {});

  expect(left).toEqual([expect.stringMatching(/webhook to https:\/\/davit.example.com\/webhooks\/gitea is off.*403/)]);
});

test.each<[string, Differences, RegExp]>([
  ['a webhook of the organization only', { hooks: [] }, /of the repository alone/],
  ['one of the organization beside it', { listShared: async () => [{ ...own }] }, /of the repository alone/],
  ['one that is off', { hooks: [{ ...own, isActive: false }] }, /of the repository alone/],
  ["another davit's", { hooks: [{ ...own, url: 'https://other.example.com/webhooks/gitea' }] }, /alone/],
  ['two of them', { hooks: [own, { ...own, id: 8 }] }, /no second webhook/],
  ['one that a change would harm', { hooks: [{ ...own, loses: 'its choice of events' }] }, /lose its choice/],
  ['a secret that is elsewhere', { readSecret: async () => undefined }, /--secret/],
  ['no URL of davit', { url: undefined }, /--public-url/],
])('%s is not touched', async (_what, differences, needs) => {
  const { calls, whileOff } = makeSwitch(differences);

  const outcome = await whileOff(async () => void calls.push('work'));

  expect(outcome).toEqual({ needs: expect.stringMatching(needs) });
  expect(calls).toEqual([]);
});

test('a credential that may not change webhooks is named, and nothing is done', async () => {
  const refused = () => {
    throw new TerminalError('CiRefused', '403');
  };
  const { calls, whileOff } = makeSwitch({ onChange: refused });

  const outcome = await whileOff(async () => void calls.push('work'));

  expect(outcome).toEqual({ needs: expect.stringMatching(/credential that may change/) });
  expect(calls).toEqual(['7 off s3cret']);
});

test('there is none to switch off where davit takes no webhooks', () => {
  const scaleSet = { organization: 'acme', profile: 'linux' };
  const hub = { name: 'hub', provider: 'github', tokenSecret: 'token', events: 'scaleSet', scaleSet };
  const never = () => Promise.reject(new Error('nobody asks'));
  const place = {
    repository: { owner: 'acme', name: 'app' },
    publicUrl: 'https://davit.example.com',
    onLeft: () => {},
  };
  const asked = { ...place, secrets: { read: never, refresh: never }, ownCi: { listWebhooks: never } };
  const system = acceptanceSystem(CiSystemConfig.parse(hub));

  expect(ownWebhook({ webhooks: { list: never, setActive: never } }, system, asked)).toBeUndefined();
});
