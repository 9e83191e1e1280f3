import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';

type Hooks = { readonly [N in keyof Disk]?: (...args: Parameters<Disk[N]>) => void };

/** The real disk; before a call that has a hook, the hook runs, as another program would at that moment. */
export function hookedDisk(hooks: Hooks): Disk {
  const entries = Object.entries(nodeDisk).map(([name, call]) => {
    const hook = hooks[name as keyof Disk] as ((...args: unknown[]) => void) | undefined;
    const original = call as (...args: unknown[]) => unknown;
    return [name, (...args: unknown[]) => (hook?.(...args), original(...args))];
  });
  const hooked: unknown = Object.fromEntries(entries);
  return hooked as Disk;
}
