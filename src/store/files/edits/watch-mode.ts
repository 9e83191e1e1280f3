import type { WatchMode } from '../project/options.ts';

/**
 * File systems that emit no events for edits made elsewhere: on another machine, on the host of a virtual machine, or
 * in a program that serves the files. By the type that statfs returns on Linux (linux/magic.h and the sources of those
 * that are not part of Linux).
 */
export const silentFileSystems: ReadonlyMap<number, string> = new Map([
  [0x0102_1997, '9p'],
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff53_4d42, 'CIFS'],
  [0xfe53_4d42, 'SMB2'],
  [0x6573_5546, 'FUSE'],
  [0x5346_414f, 'AFS'],
  [0x6b41_4653, 'kAFS'],
  [0x7375_7245, 'Coda'],
  [0x00c3_6400, 'Ceph'],
  [0x7461_636f, 'OCFS2'],
  [0x0116_1970, 'GFS2'],
  [0x0bd0_0bd0, 'Lustre'],
  [0x786f_4256, 'vboxsf'],
  [0xbacb_acbc, 'vmhgfs'],
  [0x7c7c_6673, 'prl_fs'],
]);

export interface ChosenWatch {
  readonly mode: WatchMode;
  /** Why the files are polled. */
  readonly reason?: string;
}

/** `setting`: the mode that a person chose, or true to choose by the type of the file system; its type is unknown outside Linux. */
export function chooseWatch(setting: true | WatchMode, fileSystemType: number | undefined): ChosenWatch {
  if (setting === 'events') return { mode: 'events' };
  if (setting === 'poll') return { mode: 'poll', reason: 'config.json sets watch to "poll"' };
  const name = fileSystemType === undefined ? undefined : silentFileSystems.get(fileSystemType);
  if (name === undefined) return { mode: 'events' };
  return {
    mode: 'poll',
    reason: `the file system (${name}) emits no events for edits made elsewhere; watch in config.json overrides this`,
  };
}
