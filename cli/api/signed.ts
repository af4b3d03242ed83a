import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

type SignerOptions = ConstructorParameters<typeof SignatureV4>[0];

/** Signs a request to API Gateway: Signature Version 4 of service `execute-api`. */
export async function signed(
  request: Request,
  { region, credentials }: Pick<SignerOptions, 'region' | 'credentials'>,
): Promise<Request> {
  const { protocol, hostname, host, pathname, searchParams } = new URL(request.url);
  const body = await request.clone().text();
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: Sha256 });
  const { headers } = await signer.sign({
    method: request.method,
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { ...Object.fromEntries(request.headers), host },
    ...(body === '' ? {} : { body }),
  });
  const { host: _host, ...sent } = headers;
  return new Request(request, { headers: sent });
}
