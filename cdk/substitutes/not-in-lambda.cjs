// In the bundles, in place of packages that Kubernetes' client imports for what a Lambda cannot do or davit refuses by
// name: proxies, OpenID, WebSockets, copying files.
module.exports = {};
