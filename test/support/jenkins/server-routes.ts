import type { Bean } from './exported.ts';
import { api, type Routes, type Served } from './route.ts';

/** The routes of the server itself. */
export function serverRoutes(served: Served): Routes {
  const shown = (): Bean => ({
    className: 'hudson.model.Hudson',
    fields: {
      mode: 'EXCLUSIVE',
      nodeDescription: 'the Jenkins controller’s built-in node',
      nodeName: '',
      useSecurity: true,
      quietingDown: served.state.quietingDown,
    },
  });
  return { '/api/json': (asked) => api(served, asked, shown()) };
}
