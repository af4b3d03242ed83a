// Replaces undici in the bundles, which loads its mocks, caches and WebSockets with the two parts that Kubernetes' client
// uses here. davit refuses a kubeconfig with a proxy, which would use the third.
const { fetch } = require('../../node_modules/undici/lib/web/fetch/index.js');
const Agent = require('../../node_modules/undici/lib/dispatcher/agent.js');

module.exports = { Agent, fetch, ProxyAgent: undefined };
