'use strict';
// Preloaded into a measured process: its usage is in the file that BENCH_USAGE names once the process ends.
const { writeFileSync } = require('node:fs');

const { BENCH_USAGE: path } = process.env;
delete process.env.BENCH_USAGE;
process.once('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeFileSync(path, JSON.stringify({ peakBytes: maxRSS * 1024, processorMs: (userCPUTime + systemCPUTime) / 1000 }));
});
