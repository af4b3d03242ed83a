import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { rootFolder } from '../../../../cdk/bundling.ts';
import { runProcess } from '../../../../scripts/run-process.ts';
import { davitOf, variants } from '../../../cdk/variants.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { cfnLint } from '../python.ts';

const folder = newFolder();

const Findings = z.array(z.object({ Rule: z.object({ Id: z.string() }), Message: z.string() }));

/** cfn-lint's errors and warnings for a template. W3005: CDK states some dependencies twice, which is harmless. */
async function findingsIn(template: string): Promise<string[]> {
  const file = join(folder, 'template.json');
  // CloudFormation inserts the partition before Step Functions reads the definition; cfn-lint reads the raw text.
  writeFileSync(file, template.replaceAll('${Partition}', 'aws'));
  const regions = ['--regions', 'us-east-1', 'eu-central-1'];
  const args = ['--format', 'json', ...regions, '--ignore-checks', 'W3005', '--', file];
  const { output } = await runProcess(cfnLint, args, { cwd: folder });
  return Findings.parse(JSON.parse(output)).map(({ Rule, Message }) => `${Rule.Id}: ${Message}`);
}

describe('cfn-lint finds nothing in the template of a davit of', () => {
  test.each(Object.keys(variants))('%s', async (what) => {
    const template = Template.fromStack(Stack.of(davitOf(variants[what]).davit));

    expect(await findingsIn(JSON.stringify(template.toJSON()))).toEqual([]);
  });
});

test('cfn-lint finds nothing in the example of messages', async () => {
  expect(await findingsIn(readFileSync(join(rootFolder, 'examples/alerts/messages.yaml'), 'utf8'))).toEqual([]);
});

test('cfn-lint finds what Lambda would refuse', async () => {
  const text = JSON.stringify(Template.fromStack(Stack.of(davitOf().davit)).toJSON());

  const findings = await findingsIn(text.replace(/"MemorySize":\d+/, '"MemorySize":64'));

  expect(findings).toEqual(['E3034: 64 is less than the minimum of 128']);
});
