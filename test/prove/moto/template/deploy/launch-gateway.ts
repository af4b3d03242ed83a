import { type SignedGateway, type SigningIdentity, startSignedGateway } from '../signed-gateway.ts';

/** A gateway in front of /launches that accepts only signed requests. */
export interface LaunchGateway extends AsyncDisposable {
  signed: SignedGateway;
  /** The launches by their ids, with their statuses. */
  launches: Map<string, string>;
}

/** Starts the gateway. A deleted launch is `cleaning` until a client lists it once more. */
export async function startLaunchGateway(identity: SigningIdentity): Promise<LaunchGateway> {
  const launches = new Map([
    ['github-1-2-1', 'connected'],
    ['github-1-3-1', 'launching'],
    ['github-1-4-1', 'failed'],
  ]);
  const signed = await startSignedGateway(identity, async ({ method = '', url = '' }) =>
    Response.json(handle(launches, method, new URL(url, 'http://host'))),
  );
  return { signed, launches, [Symbol.asyncDispose]: () => signed[Symbol.asyncDispose]() };
}
function handle(launches: Map<string, string>, method: string, { pathname, searchParams }: URL): object {
  if (method === 'POST') {
    launches.set('api-try-1-1', 'launching');
    return { launchId: 'api-try-1-1' };
  }
  if (method === 'DELETE') {
    launches.set(pathname.replace('/launches/', ''), 'cleaning');
    return {};
  }
  const wanted = searchParams.get('status')?.split(',');
  const found = [...launches].filter(([, status]) => wanted === undefined || wanted.includes(status));
  for (const [launchId, status] of found) if (status === 'cleaning') launches.set(launchId, 'terminated');
  return { launches: found.map(([launchId, status]) => ({ launchId, status })) };
}
