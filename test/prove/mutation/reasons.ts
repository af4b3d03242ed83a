import { basename } from 'node:path';
import { domainReasons } from './domain-reasons.ts';
import { launchReasons } from './launch-reasons.ts';
import type { Mutant } from './results.ts';

/** @returns undefined without a reason: then a test is missing */
export function reasonFor({ file, original }: Mutant): string | undefined {
  const isOfDomain = file.startsWith('core/');
  return (isOfDomain ? domainReasons[basename(file, '.ts')] : launchReasons[file])?.[original];
}
