import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnResource, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { acceptCheckovFindings, acceptedCheckovFindings } from '../../../../cdk/accepted-findings.ts';
import { runProcess } from '../../../../scripts/run-process.ts';
import { davitOf, variants } from '../../../cdk/variants.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { checkov } from '../python.ts';

const folder = newFolder();

const Check = z.object({ check_id: z.string(), resource: z.string() });
const Report = z.object({
  results: z.object({ failed_checks: z.array(Check) }),
  summary: z.object({ passed: z.number(), parsing_errors: z.literal(0) }),
});

/** checkov's findings in a stack's template. */
async function reportOn(stack: Stack) {
  const file = join(folder, 'template.json');
  writeFileSync(file, JSON.stringify(Template.fromStack(stack).toJSON()));
  // Runs offline, without checkov's own service.
  const args = ['--file', file, '--framework', 'cloudformation', '--quiet', '--skip-download'];
  const toFile = ['--output', 'json', '--output-file-path', folder];
  await runProcess(checkov, [...args, ...toFile], { cwd: folder });
  const { results, summary } = Report.parse(JSON.parse(readFileSync(join(folder, 'results_json.json'), 'utf8')));
  const lines = (checks: z.infer<typeof Check>[]) => checks.map((one) => `${one.check_id} ${one.resource}`).toSorted();
  return { failed: lines(results.failed_checks), passed: summary.passed };
}

test('checkov finds nothing but accepted findings in a davit with every option', async () => {
  const { davit } = davitOf(variants['every option']);
  acceptCheckovFindings(davit);

  const { failed, passed } = await reportOn(Stack.of(davit));

  expect(failed).toEqual([]);
  expect(passed).toBeGreaterThan(300);
});

test('checkov finds every accepted finding when it is not suppressed', async () => {
  const { davit } = davitOf(variants['every option']);
  const stack = Stack.of(davit);

  const { failed } = await reportOn(stack);

  const accepted = acceptedCheckovFindings(davit).flatMap(({ id, constructs }) =>
    constructs.map((construct) => {
      const resource = construct.node.defaultChild;
      if (!CfnResource.isCfnResource(resource)) throw new Error(`${construct.node.path} is no resource`);
      return `${id} ${resource.cfnResourceType}.${stack.resolve(resource.logicalId)}`;
    }),
  );
  expect(failed).toEqual(accepted.toSorted());
});
