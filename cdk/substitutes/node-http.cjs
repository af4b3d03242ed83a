// In the bundles, in place of an `import` of node:http: that reads all of its properties, and `http.WebSocket` loads an
// HTTP client of Node's own, which takes a quarter of the time that a function takes to start.
module.exports = process.getBuiltinModule('node:http');
