import type { Bean } from './exported.ts';
import { api, type Routes, type Served } from './route.ts';

/** The routes of the server itself. */
export function serverRoutes(served: Served): Routes {
  const { state, user } = served;
  const root: Bean = {
    className: 'hudson.model.Hudson',
    fields: {
      mode: 'EXCLUSIVE',
      nodeDescription: 'the Jenkins controller’s built-in node',
      nodeName: '',
      useSecurity: true,
    },
  };
  const shown = (): Bean => ({ ...root, fields: { ...root.fields, quietingDown: state.quietingDown } });
  return {
    '/api/json': (asked) => api(served, asked, shown()),
    // hudson.security.WhoAmI
    '/whoAmI/api/json': (asked) => {
      const { name } = asked.caller;
      const isKnown = name === user.name;
      const authorities = isKnown ? ['authenticated'] : ['anonymous'];
      const fields = { anonymous: !isKnown, authenticated: true, authorities, name };
      return api(served, asked, { className: 'hudson.security.WhoAmI', fields });
    },
  };
}
