import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Makes Node.js cache compiled modules, and the JavaScript of TypeScript modules. `node --import` loads this file before
// the first module of a program or of a worker thread. It is JavaScript, because no cache holds it.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'davit'));
