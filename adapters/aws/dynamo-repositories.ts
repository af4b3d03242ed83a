import { RepositoryName, repositoryText } from '../../core/ci/ci-scope.ts';
import * as z from '../../core/zod.ts';
import type { Jobs, KnownRepository } from '../../ports/jobs.ts';
import { type DynamoTable, queryPartition } from './dynamo-table.ts';
import { writeUnlessNewer } from './unless-newer.ts';

const RepositoryItem = z.object({
  repository: RepositoryName,
  organization: z.optional(z.string()),
  seenAtEpochMs: z.int(),
});

const noteEveryMs = 3_600_000;
/** A day, plus the hour in which davit does not write a later event. */
const listedMs = 25 * noteEveryMs;

/**
 * Remembers in the jobs table which repositories send events. A process writes each of them once an hour: a repository
 * may send hundreds of events a minute, and one partition holds all repositories of a CI system.
 */
export function createDynamoRepositories(table: DynamoTable): Pick<Jobs, 'noteRepository' | 'listRepositories'> {
  const notedAtEpochMs = new Map<string, number>();
  return {
    noteRepository: async (ciSystem, known, atEpochMs) => {
      const key = `${ciSystem}/${repositoryText(known.repository)}`;
      if (atEpochMs - (notedAtEpochMs.get(key) ?? 0) < noteEveryMs) return;
      await noteRepository(table, ciSystem, known, atEpochMs);
      notedAtEpochMs.set(key, atEpochMs);
    },
    listRepositories: (ciSystem, nowEpochMs) => listRepositories(table, ciSystem, nowEpochMs),
  };
}

function partitionOf(ciSystem: string): string {
  return `${ciSystem}/repositories`;
}

async function noteRepository(
  table: DynamoTable,
  ciSystem: string,
  { repository, organization }: KnownRepository,
  atEpochMs: number,
): Promise<void> {
  await writeUnlessNewer(table, {
    Key: { partition: partitionOf(ciSystem), item: repositoryText(repository) },
    attributes: { repository, organization, seenAtEpochMs: atEpochMs },
    timeAt: ['seenAtEpochMs'],
    atEpochMs,
    expiresAtEpochMs: atEpochMs + listedMs,
  });
}

async function listRepositories(table: DynamoTable, ciSystem: string, nowEpochMs: number): Promise<KnownRepository[]> {
  const repositories: KnownRepository[] = [];
  for await (const item of queryPartition(table, partitionOf(ciSystem))) {
    const known = RepositoryItem.safeParse(item).data;
    if (known === undefined) continue;
    const { repository, organization, seenAtEpochMs } = known;
    // DynamoDB removes an expired item late.
    if (nowEpochMs - seenAtEpochMs >= listedMs) continue;
    repositories.push({ repository, ...(organization === undefined ? {} : { organization }) });
  }
  return repositories;
}
