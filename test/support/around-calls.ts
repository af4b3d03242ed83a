type Given<Method> = Method extends (...given: infer All) => unknown ? All : never;
type Answer<Method> = Method extends (...given: never[]) => Promise<infer One> ? One : never;

/** Has a method do something before each of its calls; what it throws, the call throws. @returns what ends that */
export function beforeCalls<Port extends object, Name extends keyof Port>(
  port: Port,
  name: Name,
  act: (...given: Given<Port[Name]>) => unknown,
): () => void {
  return aroundCalls(port, name, async (call, ...given) => {
    await act(...given);
    return call();
  });
}

/** Has a method do something after each of its calls, before it answers. @returns what ends that */
export function afterCalls<Port extends object, Name extends keyof Port>(
  port: Port,
  name: Name,
  act: (...given: Given<Port[Name]>) => unknown,
): () => void {
  return aroundCalls(port, name, async (call, ...given) => {
    const answer = await call();
    await act(...given);
    return answer;
  });
}

/** Has all calls of a method fail. @returns what ends that */
export function refuseCalls<Port extends object>(port: Port, name: keyof Port, error: Error): () => void {
  return aroundCalls(port, name, async () => Promise.reject(error));
}

/** Has each call of a method answer as given. @param answer gets the call itself. @returns what ends that */
export function aroundCalls<Port extends object, Name extends keyof Port>(
  port: Port,
  name: Name,
  answer: (call: () => Promise<Answer<Port[Name]>>, ...given: Given<Port[Name]>) => Promise<Answer<Port[Name]>>,
): () => void {
  const method: unknown = Reflect.get(port, name);
  if (typeof method !== 'function') throw new TypeError(`${String(name)} is no method`);
  const replaced = async (...given: Given<Port[Name]>) => answer(async () => method.apply(port, given), ...given);
  Object.assign(port, { [name]: replaced });
  return () => void Object.assign(port, { [name]: method });
}
