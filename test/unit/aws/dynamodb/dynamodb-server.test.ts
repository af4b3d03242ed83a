import { connect } from 'node:net';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { startDynamoDbServer } from '../../../support/aws/dynamodb/dynamodb-server.ts';

const tokens: CreateTableCommandInput = {
  TableName: 'tokens',
  AttributeDefinitions: [{ AttributeName: 'agentName', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'agentName', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

test('a client that disconnects in the middle of a request does no harm', async () => {
  await using server = await startDynamoDbServer();

  await new Promise<void>((resolve) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });

  await server.createTables([tokens]);
});
