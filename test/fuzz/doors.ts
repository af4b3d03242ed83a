import type { Door } from './door.ts';
import { apiErrorsDoor } from './doors/api-errors.ts';
import { apiServerDoor } from './doors/api-server.ts';
import { cleanUpDoor } from './doors/clean-up.ts';
import { configDoor } from './doors/config.ts';
import { connectDoor } from './doors/connect.ts';
import { gatewayDoor } from './doors/gateway.ts';
import { kubeconfigDoor } from './doors/kubeconfig.ts';
import { launchesDoor } from './doors/launches.ts';
import { objectsDoor } from './doors/objects.ts';
import { runtimeDoor } from './doors/runtime.ts';
import { watchDoor } from './doors/watch.ts';
import { webhookDoor } from './doors/webhook.ts';

/** All doors of davit. */
export const doors: readonly Door[] = [
  webhookDoor,
  connectDoor,
  launchesDoor,
  configDoor,
  kubeconfigDoor,
  objectsDoor,
  watchDoor,
  apiErrorsDoor,
  cleanUpDoor,
  gatewayDoor,
  apiServerDoor,
  runtimeDoor,
];
