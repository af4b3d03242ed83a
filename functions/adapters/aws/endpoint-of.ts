/** Names where a service is in a region. @param service its id, as `dynamodb` */
export function endpointOf(service: string, region: string): string {
  return `https://${service}.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
}
