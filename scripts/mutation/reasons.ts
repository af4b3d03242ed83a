import type { Survivor } from './results.ts';

/** Why no test can notice a mutant, or need not. */
interface Reason extends Pick<Survivor, 'original'> {
  file: string;
  /** @default every replacement of this code */
  replacement?: string;
  reason: string;
}

const endLaunch = 'functions/launch-lifecycle/end-launch.ts';
const requestLaunch = 'functions/launch-lifecycle/request-launch.ts';

const reasons: readonly Reason[] = [
  {
    file: 'functions/steps/create-once.ts',
    original: '[]',
    reason: 'an owner without a uid is written as no owner is',
  },
  {
    file: endLaunch,
    original: 'one?.by',
    reason: 'every record that end returns has an ending; only its type allows none',
  },
  {
    file: requestLaunch,
    original: 'record.plan === undefined',
    reason: 'a record that is launching has a plan; only its type allows none',
  },
];

/** @returns undefined without a reason: then a test is missing */
export function reasonFor(file: string, { original, replacement }: Survivor): string | undefined {
  return reasons.find(
    (one) =>
      one.file === file &&
      one.original === original &&
      (one.replacement === undefined || one.replacement === replacement),
  )?.reason;
}
