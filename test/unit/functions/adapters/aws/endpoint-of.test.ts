import { expect, test } from '@jest/globals';
import { endpointOf } from '../../../../../functions/adapters/aws/endpoint-of.ts';

test.each([
  ['dynamodb', 'eu-central-1', 'https://dynamodb.eu-central-1.amazonaws.com'],
  ['states', 'us-gov-west-1', 'https://states.us-gov-west-1.amazonaws.com'],
  ['sts', 'cn-north-1', 'https://sts.cn-north-1.amazonaws.com.cn'],
])('%s in %s is at %s', (service, region, url) => {
  expect(endpointOf(service, region)).toBe(url);
});
