// Replaces packages in the bundles that Kubernetes' client and the AWS SDK import for features that a Lambda cannot use or
// davit refuses by name: proxies, OpenID, WebSockets, copying files, browsers.
module.exports = {};
