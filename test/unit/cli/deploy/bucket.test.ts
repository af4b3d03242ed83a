import { S3Client } from '@aws-sdk/client-s3';
import { openBucket } from '../../../../cli/deploy/bucket.ts';
import { type ScriptedAnswer, scriptedAwsOfTests } from '../../../support/start-scripted-aws.ts';

const deployment = { stackName: 'Davit', account: '111122223333', region: 'eu-central-1', partition: 'aws' };
const path = '/davit-davit-111122223333-eu-central-1/';

const aws = scriptedAwsOfTests();

async function bucketWith(...answers: ScriptedAnswer[]) {
  const { url, requests } = await aws.start(...answers);
  const client = new S3Client({
    endpoint: url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    forcePathStyle: true,
    maxAttempts: 1,
  });
  return { bucket: openBucket(client, deployment), requests };
}

const ok: ScriptedAnswer = { status: 200, body: '' };
const missing: ScriptedAnswer = { status: 404, body: '' };
const tagged = (stack: string): ScriptedAnswer => ({
  status: 200,
  body: `<Tagging><TagSet><Tag><Key>davit:stack</Key><Value>${stack}</Value></Tag></TagSet></Tagging>`,
});
const untagged: ScriptedAnswer = { status: 404, body: '<Error><Code>NoSuchTagSet</Code></Error>' };
const listing = (...keys: string[]): ScriptedAnswer => ({
  status: 200,
  body: `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`,
});

test('every request names the account that must own the bucket, apart from the one that makes it', async () => {
  const { bucket, requests } = await bucketWith(missing, ok);

  await bucket.ensure();

  const calls = requests.map(({ method, path: called }) => `${method} ${called}`);
  expect(calls).toEqual([`HEAD ${path}`, `PUT ${path}`, `PUT ${path}?tagging=`, `PUT ${path}?publicAccessBlock=`]);
  expect(requests.map(({ headers }) => headers['x-amz-expected-bucket-owner'])).toEqual([
    '111122223333',
    undefined,
    '111122223333',
    '111122223333',
  ]);
});

test("a bucket that is closed to the caller may be another account's: nothing is written", async () => {
  const { bucket, requests } = await bucketWith({ status: 403, body: '' });

  await expect(bucket.ensure()).rejects.toMatchObject({ reason: 'refused', code: 'bucket-refused' });
  expect(requests).toHaveLength(1);
});

test.each([
  ['of another stack', [ok, tagged('Other')], 'belongs to the stack Other'],
  ['without a tag, and with files', [ok, untagged, listing('mine.txt')], 'has no tag of a davit'],
])('a bucket %s is neither used nor deleted', async (_what, answers, words) => {
  for (const act of ['ensure', 'remove'] as const) {
    const { bucket, requests } = await bucketWith(...answers);

    await expect(bucket[act]()).rejects.toMatchObject({
      code: 'bucket-taken',
      message: expect.stringContaining(words),
    });
    expect(requests.every(({ method }) => ['GET', 'HEAD'].includes(method))).toBe(true);
  }
});

test('an empty bucket without a tag is what a deployment left that was killed: it is used', async () => {
  const { bucket, requests } = await bucketWith(ok, untagged, listing(), ok);

  await bucket.ensure();

  expect(requests.at(-1)).toMatchObject({ method: 'PUT', path: `${path}?publicAccessBlock=` });
});

test('a bucket that does not exist has no keys, and nothing to remove', async () => {
  const { bucket } = await bucketWith(missing);

  expect(await bucket.keys()).toBeUndefined();
  expect(await bucket.remove()).toBe(false);
});
