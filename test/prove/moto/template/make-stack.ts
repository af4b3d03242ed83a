import {
  type CloudFormationClient,
  CreateStackCommand,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';

/**
 * Creates a stack with CloudFormation.
 *
 * @returns the physical name of each resource, by its logical id
 * @throws Error when the creation fails
 */
export async function makeStack(
  client: CloudFormationClient,
  StackName: string,
  TemplateBody: string,
): Promise<Map<string, string>> {
  await client.send(new CreateStackCommand({ StackName, TemplateBody, Capabilities: ['CAPABILITY_NAMED_IAM'] }));
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  if (stack?.StackStatus !== 'CREATE_COMPLETE')
    throw new Error(`${StackName}: ${stack?.StackStatus} ${stack?.StackStatusReason}`);
  const made = new Map<string, string>();
  for await (const page of paginateListStackResources({ client }, { StackName })) {
    for (const { LogicalResourceId: id, PhysicalResourceId: name = '' } of page.StackResourceSummaries ?? []) {
      // An empty list arrives as a list of one empty value.
      if (id) made.set(id, name);
    }
  }
  return made;
}
