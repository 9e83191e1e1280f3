import { setFlagsFromString } from 'node:v8';

/**
 * To be imported before the cache of compiled code, which belongs to the flags of V8: a process of tests collects garbage rarely. At each 64 MB
 * of buffers, which tests make within seconds, V8 would mark the whole heap, nearly all of which is code that stays.
 */
for (const flag of [
  '--external-memory-accounted-in-global-limit',
  '--heap-growing-percent=300',
  '--semi-space-growth-factor=4',
  '--no-flush-bytecode',
  '--no-memory-reducer',
])
  setFlagsFromString(flag);
