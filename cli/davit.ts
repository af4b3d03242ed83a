#!/usr/bin/env node
// An older Node.js refuses the syntax or an import of some other file before any code runs, so this file imports none.
const neededMajor = 24;

const found = process.versions.node;
if (Number.parseInt(found, 10) < neededMajor) {
  process.stderr.write(
    `davit needs Node.js ${neededMajor} or later, and this is ${found}: see https://nodejs.org/en/download\n`,
  );
  process.exitCode = 1;
} else {
  await import('./main.ts');
}
