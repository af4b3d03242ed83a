import { createHash } from 'node:crypto';
import {
  CreateBucketCommand,
  type CreateBucketCommandInput,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetBucketTaggingCommand,
  HeadBucketCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { calling } from '../api/aws-error.ts';
import { CliError } from '../cli-error.ts';
import type { BundleArchive } from './bundle-archives.ts';
import type { Deployment } from './deployment.ts';

/** The tag of everything that a deployment makes beside its stack: the stack's name. */
export const stackTag = 'davit:stack';

/** A bucket's name has at most 63 characters; account and region take up to 30 of them. */
const longestStackPart = 24;

/**
 * Names the bucket with the bundles of a stack. All accounts share the names of buckets, so every call below names the
 * account that must own it.
 */
export function bucketNameOf({ stackName, account, region }: Deployment): string {
  const lower = stackName.toLowerCase();
  const digest = createHash('sha256').update(stackName).digest('hex').slice(0, 8);
  const part = lower.length <= longestStackPart ? lower : `${lower.slice(0, 15).replace(/-+$/, '')}-${digest}`;
  return `davit-${part}-${account}-${region}`;
}

/** The bucket with the bundles of one stack. */
export interface BundleBucket {
  name: string;
  /** Makes it if it does not exist, and keeps it from the public. */
  ensure(): Promise<void>;
  /** Lists the keys in it; undefined if it does not exist. */
  keys(): Promise<ReadonlySet<string> | undefined>;
  put(key: string, body: Uint8Array | string, contentType: string): Promise<void>;
  /** Deletes it with everything in it. @returns false if it does not exist */
  remove(): Promise<boolean>;
}

/** @throws CliError of each method: the caller may not do it, or another account or stack has the bucket */
export function openBucket(client: S3Client, deployment: Deployment): BundleBucket {
  const Bucket = bucketNameOf(deployment);
  const own = { Bucket, ExpectedBucketOwner: deployment.account };
  const call = <Result>(action: string, work: Promise<Result>) => calling(`the bucket ${Bucket}`, `s3:${action}`, work);

  async function exists(): Promise<boolean> {
    try {
      await client.send(new HeadBucketCommand(own));
      return true;
    } catch (error) {
      // HEAD has no body, so the status is all that the server says.
      const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
      if (status === 404) return false;
      if (status !== 403) return call('ListBucket', Promise.reject(error));
      const advice =
        'You need s3:ListBucket on it. If another account has taken its name, deploy under another: --stack NAME.';
      const message = `the bucket ${Bucket} exists, and is closed to you`;
      throw new CliError('refused', 'bucket-refused', message, advice, error);
    }
  }

  /** A deployment that was killed right after it had made the bucket left it without tags, and empty. */
  async function check(): Promise<void> {
    const owner = await call('GetBucketTagging', tagOf(client, own));
    if (owner === deployment.stackName) return;
    if (owner === undefined && (await list()).size === 0) return;
    const whose = owner === undefined ? 'has no tag of a davit' : `belongs to the stack ${owner}`;
    const advice = 'Deploy under another name, by --stack NAME, or delete the bucket.';
    throw new CliError('refused', 'bucket-taken', `the bucket ${Bucket} ${whose}`, advice);
  }

  async function list(): Promise<Set<string>> {
    const keys = new Set<string>();
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, own)) {
      for (const { Key } of Contents) if (Key !== undefined) keys.add(Key);
    }
    return keys;
  }

  return {
    name: Bucket,
    async ensure() {
      if (await exists()) await check();
      else await call('CreateBucket', client.send(new CreateBucketCommand(creation(Bucket, deployment.region))));
      await call('PutBucketTagging', client.send(new PutBucketTaggingCommand({ ...own, Tagging: tags(deployment) })));
      await call('PutBucketPublicAccessBlock', client.send(new PutPublicAccessBlockCommand({ ...own, ...closed })));
    },
    async keys() {
      return (await exists()) ? call('ListBucket', list()) : undefined;
    },
    async put(Key, Body, ContentType) {
      await call('PutObject', client.send(new PutObjectCommand({ ...own, Key, Body, ContentType })));
    },
    async remove() {
      if (!(await exists())) return false;
      await check();
      const keys = [...(await call('ListBucket', list()))];
      for (let at = 0; at < keys.length; at += mostDeletedAtOnce) {
        const Objects = keys.slice(at, at + mostDeletedAtOnce).map((Key) => ({ Key }));
        await call('DeleteObject', client.send(new DeleteObjectsCommand({ ...own, Delete: { Objects } })));
      }
      await call('DeleteBucket', client.send(new DeleteBucketCommand(own)));
      return true;
    },
  };
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
const mostDeletedAtOnce = 1000;

const closed = {
  PublicAccessBlockConfiguration: {
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  },
};

/** S3 refuses its own oldest region as a constraint. */
function creation(Bucket: string, region: string): CreateBucketCommandInput {
  const constraint = region as NonNullable<CreateBucketCommandInput['CreateBucketConfiguration']>['LocationConstraint'];
  return {
    Bucket,
    ...(region === 'us-east-1' ? {} : { CreateBucketConfiguration: { LocationConstraint: constraint } }),
  };
}

function tags({ stackName }: Deployment) {
  return {
    TagSet: [
      { Key: 'application', Value: 'davit' },
      { Key: stackTag, Value: stackName },
    ],
  };
}

async function tagOf(
  client: S3Client,
  own: { Bucket: string; ExpectedBucketOwner: string },
): Promise<string | undefined> {
  try {
    const { TagSet = [] } = await client.send(new GetBucketTaggingCommand(own));
    return TagSet.find(({ Key }) => Key === stackTag)?.Value;
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchTagSet') return undefined;
    throw error;
  }
}

const uploadsAtOnce = 4;

/**
 * Uploads the archives that the bucket lacks.
 *
 * @returns how many it uploaded, and their bytes
 */
export async function uploadMissing(
  bucket: Pick<BundleBucket, 'put'>,
  existing: ReadonlySet<string>,
  archives: Iterable<BundleArchive>,
): Promise<{ count: number; bytes: number }> {
  const missing = new Map([...archives].filter(({ key }) => !existing.has(key)).map((one) => [one.key, one]));
  const waiting = [...missing.values()].values();
  let bytes = 0;
  const upload = async () => {
    for (const { key, zip } of waiting) {
      const body = zip();
      await bucket.put(key, body, 'application/zip');
      bytes += body.length;
    }
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, upload));
  return { count: missing.size, bytes };
}
