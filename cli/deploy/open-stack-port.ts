import {
  type Change,
  type CloudFormationClient,
  CreateChangeSetCommand,
  DeleteChangeSetCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  GetTemplateCommand,
  paginateDescribeChangeSet,
  paginateDescribeStackEvents,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { present } from '../../core/present.ts';
import { calling } from '../api/aws-error.ts';
import type { Deployment } from './deployment.ts';
import type { ChangeSet, StackChange, StackPort } from './stack-port.ts';

/** Opens CloudFormation for one stack. */
export function openStackPort(client: CloudFormationClient, { stackName: StackName }: Deployment): StackPort {
  const call = <Result>(action: string, work: Promise<Result>) =>
    calling(`the stack ${StackName}`, `cloudformation:${action}`, work);
  async function* pagesOf<Page>(action: string, pages: AsyncIterator<Page>): AsyncGenerator<Page> {
    for (;;) {
      const { value: page, done } = await call(action, pages.next());
      if (done === true) return;
      yield page;
    }
  }
  return {
    async describe(id = StackName) {
      try {
        const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName: id }));
        if (stack === undefined) return undefined;
        const { StackId = id, StackStatus: status = '', StackStatusReason: reason, Outputs = [] } = stack;
        const outputs = Outputs.flatMap(({ OutputKey: key, OutputValue: value }) =>
          key === undefined || value === undefined ? [] : [[key, value] as const],
        );
        return { id: StackId, status, outputs: Object.fromEntries(outputs), ...present({ reason }) };
      } catch (error) {
        // CloudFormation's answer for a stack that does not exist.
        if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message))
          return undefined;
        return call('DescribeStacks', Promise.reject(error));
      }
    },
    async *events(id) {
      const pages = paginateDescribeStackEvents({ client }, { StackName: id });
      for await (const { StackEvents = [] } of pagesOf('DescribeStackEvents', pages)) {
        for (const event of StackEvents) {
          yield {
            id: event.EventId ?? '',
            atEpochMs: event.Timestamp?.getTime() ?? 0,
            logicalId: event.LogicalResourceId ?? '',
            type: event.ResourceType ?? '',
            status: event.ResourceStatus ?? '',
            ...(event.PhysicalResourceId ? { physicalId: event.PhysicalResourceId } : {}),
            ...(event.ResourceStatusReason ? { reason: event.ResourceStatusReason } : {}),
          };
        }
      }
    },
    async createChangeSet(ChangeSetType, TemplateURL) {
      const ChangeSetName = `davit-${Date.now()}`;
      const Tags = [{ Key: 'application', Value: 'davit' }];
      const Capabilities = ['CAPABILITY_IAM' as const];
      const input = { StackName, ChangeSetName, ChangeSetType, TemplateURL, Capabilities, Tags };
      const { Id = ChangeSetName } = await call('CreateChangeSet', client.send(new CreateChangeSetCommand(input)));
      return Id;
    },
    async describeChangeSet(id) {
      const changes: StackChange[] = [];
      let found: Pick<ChangeSet, 'status' | 'reason'> = { status: '' };
      const pages = paginateDescribeChangeSet({ client }, { StackName, ChangeSetName: id });
      for await (const page of pagesOf('DescribeChangeSet', pages)) {
        const { Status: status = '', StatusReason: reason, Changes = [] } = page;
        found = { status, ...present({ reason }) };
        changes.push(...Changes.flatMap(changeOf));
      }
      return { id, ...found, changes };
    },
    async deleteChangeSet(ChangeSetName) {
      await call('DeleteChangeSet', client.send(new DeleteChangeSetCommand({ StackName, ChangeSetName })));
    },
    async executeChangeSet(ChangeSetName) {
      await call('ExecuteChangeSet', client.send(new ExecuteChangeSetCommand({ StackName, ChangeSetName })));
    },
    async delete(id) {
      await call('DeleteStack', client.send(new DeleteStackCommand({ StackName: id })));
    },
    async template() {
      const { TemplateBody = '{}' } = await call('GetTemplate', client.send(new GetTemplateCommand({ StackName })));
      return TemplateBody;
    },
    async resources(id) {
      const made = new Map<string, string>();
      const pages = paginateListStackResources({ client }, { StackName: id });
      for await (const { StackResourceSummaries = [] } of pagesOf('ListStackResources', pages)) {
        for (const { LogicalResourceId: logical, PhysicalResourceId: physical } of StackResourceSummaries) {
          if (logical && physical) made.set(logical, physical);
        }
      }
      return made;
    },
  };
}

function changeOf({ ResourceChange: change }: Change): StackChange[] {
  if (change === undefined) return [];
  const { Action = '', LogicalResourceId = '', ResourceType = '', Replacement, PolicyAction, Details = [] } = change;
  const names = Details.map(({ Target }) => Target?.Name ?? Target?.Attribute).filter((name) => name !== undefined);
  return [
    {
      action: Action,
      logicalId: LogicalResourceId,
      type: ResourceType,
      properties: [...new Set(names)].toSorted(),
      ...present({ replacement: Replacement, policy: PolicyAction }),
    },
  ];
}
