'use strict';
// Preloaded into a process: the files and the modules of Node that it has loaded are in the file that LOADED names once it ends.
const { writeFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { fileURLToPath } = require('node:url');

const { LOADED: path } = process.env;
const files = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) files.push(fileURLToPath(url));
    return next(url, context);
  },
});
process.once('exit', () => writeFileSync(path, JSON.stringify({ files, builtins: process.moduleLoadList })));
