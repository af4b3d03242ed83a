import * as z from 'zod';
import type { Config, Profile } from '../../core/config/config.ts';
import { wordsOf } from '../words-of.ts';
import { type Finding, ok, problem, skipped, warning } from './finding.ts';

/** A release of GitHub's runner. */
export interface RunnerRelease {
  version: string;
  publishedAtEpochMs: number;
}

/** The input of the checks of runner images. */
export interface RunnerImageChecks {
  /** Reads GitHub's releases of its runner. */
  readReleases: () => Promise<readonly RunnerRelease[]>;
  nowEpochMs: number;
}

const githubsImage = /^ghcr\.io\/actions\/actions-runner(?::(?<tag>[\w.-]+))?(?:@.+)?$/;
const dayMs = 86_400_000;
/** @see https://docs.github.com/en/actions/reference/runners/self-hosted-runners#runner-software-updates-on-self-hosted-runners */
const acceptedMs = 30 * dayMs;

/** Checks whether GitHub accepts each profile's runners: it refuses a runner 30 days after the next release. */
export async function checkRunnerImages({ profiles }: Config, checks: RunnerImageChecks): Promise<Finding[]> {
  let releases: Promise<readonly RunnerRelease[]> | undefined;
  const readReleases = () => {
    releases ??= checks.readReleases();
    return releases;
  };
  const githubs = profiles.filter(({ runner }) => runner === 'github');
  return await Promise.all(githubs.map((profile) => checkImage(profile, { ...checks, readReleases })));
}

async function checkImage(profile: Profile, { readReleases, nowEpochMs }: RunnerImageChecks): Promise<Finding> {
  const { image, imagePullPolicy } = agentContainerOf(profile);
  const about = `profile ${profile.name}: the runner's age`;
  const { groups } = githubsImage.exec(image) ?? {};
  if (groups === undefined) return unknown(about, image);
  const { tag = image.includes('@') ? '' : 'latest' } = groups;
  if (tag === 'latest') return checkLatest(about, imagePullPolicy);
  if (numbersOf(tag) === undefined) return unknown(about, image);
  try {
    return judgeVersion(about, tag, await readReleases(), nowEpochMs);
  } catch (error) {
    return skipped(about, `the runner is ${tag}; GitHub's releases cannot be read: ${wordsOf(error)}`);
  }
}

function agentContainerOf({ agentContainer, template }: Profile) {
  const { containers, initContainers = [] } = template.spec;
  const agent = [...containers, ...initContainers].find(({ name }) => name === agentContainer);
  return { image: String(agent?.['image']), imagePullPolicy: agent?.['imagePullPolicy'] };
}

function unknown(about: string, image: string): Finding {
  return skipped(about, `${image} does not say its runner's version: \`./config.sh --version\` in it does`);
}

function checkLatest(about: string, imagePullPolicy: unknown): Finding {
  if (imagePullPolicy === undefined || imagePullPolicy === 'Always') return ok(about, 'each Pod pulls the latest');
  const what = `imagePullPolicy ${JSON.stringify(imagePullPolicy)}: a node keeps what was the latest when it pulled`;
  const why = 'GitHub gives no job to a runner that is older than 30 days after the next release.';
  return warning(about, what, why, "take imagePullPolicy out of the profile's template");
}

/** Judges a version by the first release after it. */
export function judgeVersion(
  about: string,
  version: string,
  releases: readonly RunnerRelease[],
  nowEpochMs: number,
): Finding {
  const newer = releases.filter((release) => isNewer(release.version, version));
  const [next] = newer.toSorted((one, other) => one.publishedAtEpochMs - other.publishedAtEpochMs);
  if (next === undefined) return ok(about, `${version} is the latest release`);
  const [latest] = newer.toSorted((one, other) => (isNewer(one.version, other.version) ? -1 : 1));
  const endsAtEpochMs = next.publishedAtEpochMs + acceptedMs;
  const day = new Date(endsAtEpochMs).toISOString().slice(0, 10);
  const what = `${version} has a newer release, ${next.version}: GitHub takes it until ${day}`;
  const why = 'After that day GitHub gives it no job: its Pods start, wait, and are retired.';
  const fix = `image: ghcr.io/actions/actions-runner:${latest?.version ?? 'latest'} in the profile's template, or :latest`;
  return (endsAtEpochMs > nowEpochMs ? warning : problem)(about, what, why, fix);
}

function isNewer(version: string, than: string): boolean {
  const [one, other] = [numbersOf(version) ?? [], numbersOf(than) ?? []];
  const differs = one.findIndex((number, index) => number !== other[index]);
  return differs !== -1 && (one[differs] ?? 0) > (other[differs] ?? 0);
}

function numbersOf(version: string): number[] | undefined {
  return /^\d+\.\d+\.\d+$/.test(version) ? version.split('.').map(Number) : undefined;
}

const Releases = z.array(
  z.object({ tag_name: z.string(), published_at: z.iso.datetime().nullable(), prerelease: z.boolean() }),
);

const releasesUrl = 'https://api.github.com/repos/actions/runner/releases?per_page=50';

/** Reads the releases of GitHub's runner, without a credential. @throws Error when GitHub does not answer within 10 s */
export async function readRunnerReleases(): Promise<RunnerRelease[]> {
  const response = await fetch(releasesUrl, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`${releasesUrl}: ${response.status}`);
  return runnerReleases(await response.json());
}

/** Reads GitHub's list of releases. */
export function runnerReleases(body: unknown): RunnerRelease[] {
  return Releases.parse(body).flatMap(({ tag_name: tag, published_at: at, prerelease }) =>
    at === null || prerelease ? [] : [{ version: tag.replace(/^v/, ''), publishedAtEpochMs: Date.parse(at) }],
  );
}
