import type { CiScope } from '../../core/ci/ci-scope.ts';
import type { CiSystem, ListedRunner } from '../../ports/ci-system.ts';

/** What to read of a scope's list of runners. */
interface RunnerListQuestion {
  scope: CiScope;
  /** The prefix of the names of davit's runners. */
  namePrefix: string;
  /** The page that is next. */
  page: number;
  /** How many single runners the round would otherwise ask for. */
  doubts: number;
}

/** What was read of a scope's list of runners. */
interface ReadRunnerList {
  runners: ListedRunner[];
  isWhole: boolean;
  /** The page that is next; undefined for the first one. */
  next: number | undefined;
}

/**
 * Reads one page of a list of runners: the pages take turns. Reads the whole list where that costs less than to ask for each
 * runner in doubt.
 */
export async function readRunnerList(
  ci: Pick<CiSystem, 'findRunners' | 'runnersOnPage'>,
  { scope, namePrefix, page, doubts }: RunnerListQuestion,
): Promise<ReadRunnerList> {
  const { runners, isLast, pages } = await ci.runnersOnPage(scope, namePrefix, page);
  if (isLast) return { runners, isWhole: page === 1, next: undefined };
  if (pages <= doubts) return { runners: await ci.findRunners(scope, namePrefix), isWhole: true, next: page };
  return { runners, isWhole: false, next: page + 1 };
}
