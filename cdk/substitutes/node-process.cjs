// In the bundles, in place of an `import` of node:process: that reads all of its properties, and so opens the standard
// streams and lists every option that Node has.
module.exports = process;
