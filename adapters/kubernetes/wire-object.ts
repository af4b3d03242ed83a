import { type ConfigurationOptions, setHeaderMiddleware } from '@kubernetes/client-node';

/**
 * Turns an object of the client back into the object on the wire, as far as the client knows it. Times become strings
 * again. Null fields and invalid times are absent.
 */
export function wireObject(object: object): unknown {
  return JSON.parse(JSON.stringify(object), (_key, value: unknown) => {
    return typeof value === 'string' ? value.replace(wholeSecond, '$1Z') : (value ?? undefined);
  });
}

/** A time as JavaScript writes it, where Kubernetes writes no fraction. */
const wholeSecond = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.000Z$/;

/** Sends a body unchanged. The client's own serializer drops each field that its version of Kubernetes does not have. */
export function sendAsItIs(body: object): ConfigurationOptions {
  const asJson = setHeaderMiddleware('Content-Type', 'application/json');
  const pre: typeof asJson.pre = (context) => {
    context.setBody(JSON.stringify(body));
    return asJson.pre(context);
  };
  return { middleware: [{ ...asJson, pre }], middlewareMergeStrategy: 'append' };
}
