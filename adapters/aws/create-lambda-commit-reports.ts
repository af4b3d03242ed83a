import type { CommitReports } from '../../ports/commit-reports.ts';
import { invokeLater, type LambdaFunction } from './create-lambda-clean-ups.ts';

/**
 * Requests reports by invoking their function: needs lambda:InvokeFunction on it.
 *
 * @param target the report-to-ci function
 */
export function createLambdaCommitReports(target: LambdaFunction): CommitReports {
  return { request: (report) => invokeLater(target, report) };
}
