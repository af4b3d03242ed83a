/**
 * Says what AWS throttles in the middle of a burst: `SERVICE` or `SERVICE OPERATION`; the operation of Lambda is a
 * function. Four kinds of trouble, each for a sixth of the burst.
 *
 * @param answered how many of the burst's webhooks have been answered
 */
export function troubleIn(burst: number, answered: number): string[] {
  const sixth = Math.floor((6 * answered) / burst);
  if (sixth === 1) return ['stepfunctions StartExecution'];
  if (sixth === 2) return ['dynamodb PutItem', 'dynamodb UpdateItem'];
  if (sixth === 3) return ['lambda'];
  return sixth === 4 ? ['stepfunctions', 'lambda create-pod'] : [];
}

/** Says whether a call is throttled. */
export function isThrottledBy(throttled: ReadonlySet<string>, service: string, operation: string): boolean {
  return throttled.has(service) || throttled.has(`${service} ${operation}`);
}
