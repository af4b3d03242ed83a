// Replaces an `import` of node:http in the bundles. Such an import reads all properties, and `http.WebSocket` loads an
// HTTP client of Node's own, which takes a quarter of a function's start.
module.exports = process.getBuiltinModule('node:http');
