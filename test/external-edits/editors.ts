import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Saves a file after a change of its text, as one editor really does. `file` is absolute. */
export type Save = (file: string, change: (text: string) => string) => void | Promise<void>;

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The parts of a file in its directory that an editor makes. */
function beside(file: string, name: (own: string) => string): string {
  return join(dirname(file), name(basename(file)));
}

/**
 * Truncates a file and writes it piece by piece, with turns of the event loop in between: the service may look at any
 * state.
 */
async function inPlace(file: string, text: string, flags: number): Promise<void> {
  const fd = openSync(file, flags);
  try {
    if ((flags & constants.O_TRUNC) === 0) ftruncateSync(fd, 0);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 40) {
      await soon();
      writeSync(fd, bytes.subarray(at, at + 40));
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function throughNewFile(file: string, temporary: string, text: string): void {
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

/**
 * The way of `vim` with its swap file and its probe 4913, for systems without vim. `rename`: its backup, and so the
 * file, is made by rename.
 */
async function likeVim(file: string, text: string, rename: boolean): Promise<void> {
  const [swap, probe, backup] = [beside(file, (own) => `.${own}.swp`), beside(file, () => '4913'), `${file}~`];
  writeFileSync(swap, 'b0VIM 9.0\0');
  writeFileSync(probe, '');
  unlinkSync(probe);
  if (rename) {
    renameSync(file, backup);
    await soon();
    writeFileSync(file, text);
  } else {
    writeFileSync(backup, readFileSync(file));
    await inPlace(file, text, constants.O_WRONLY | constants.O_TRUNC);
  }
  unlinkSync(backup);
  unlinkSync(swap);
}

const hasVim = spawnSync('vim', ['--version']).status === 0;

/** Runs the real vim, which replaces the whole text with the text of another file, and saves. */
function vim(options: string): Save {
  return async (file, change) => {
    const text = change(readFileSync(file, 'utf8'));
    if (!hasVim) return likeVim(file, text, options.includes('backupcopy=no'));
    const script = ['set nocompatible swapfile writebackup backupskip= fileformats=unix', `set ${options}`].join('|');
    // Without its own runtime and the person's settings; -s takes no keys.
    const lines = join(dirname(dirname(dirname(dirname(dirname(file))))), 'typed.txt');
    writeFileSync(lines, text);
    execFileSync('vim', [
      '-u',
      'NONE',
      '-es',
      '--cmd',
      script,
      '-c',
      `%d _ | call setline(1, readfile("${lines}")) | wq`,
      file,
    ]);
  };
}

/** The way of every editor by its name. */
export const editors: Readonly<Record<string, Save>> = {
  'vim (a new file, its backup by rename)': vim('backupcopy=no'),
  'vim (in place, with a copy as backup)': vim('backupcopy=yes'),
  'vim (as it decides by itself)': vim('backupcopy=auto'),
  'VS Code (truncates and writes)': (file, change) =>
    inPlace(file, change(readFileSync(file, 'utf8')), constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC),
  'VS Code (opens, then truncates)': (file, change) =>
    inPlace(file, change(readFileSync(file, 'utf8')), constants.O_RDWR),
  'VS Code (atomic, by rename)': (file, change) =>
    throughNewFile(
      file,
      beside(file, (own) => `${own}.vsctmp`),
      change(readFileSync(file, 'utf8')),
    ),
  'Obsidian (in place, with a vault of its own)': async (file, change) => {
    mkdirSync(join(dirname(file), '.obsidian'), { recursive: true });
    writeFileSync(join(dirname(file), '.obsidian/workspace.json'), '{"main":{}}');
    writeFileSync(join(dirname(file), '.obsidian/note.md'), '# Not a record\n');
    await inPlace(file, change(readFileSync(file, 'utf8')), constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  },
  'Emacs (its lock, its auto-save, its backup by rename)': (file, change) => {
    const text = change(readFileSync(file, 'utf8'));
    const [lock, saved] = [beside(file, (own) => `.#${own}`), beside(file, (own) => `#${own}#`)];
    symlinkSync('ada@host.1:1', lock);
    writeFileSync(saved, text);
    renameSync(file, `${file}~`);
    writeFileSync(file, text);
    unlinkSync(saved);
    unlinkSync(lock);
    unlinkSync(`${file}~`);
  },
  'JetBrains (its temporary file, the old one aside)': (file, change) => {
    const text = change(readFileSync(file, 'utf8'));
    const [fresh, old] = [`${file}___jb_tmp___`, `${file}___jb_old___`];
    writeFileSync(fresh, text);
    renameSync(file, old);
    renameSync(fresh, file);
    unlinkSync(old);
  },
  'rsync and Syncthing (a hidden file, then a rename)': (file, change) =>
    throughNewFile(
      file,
      beside(file, (own) => `.${own}.AbCdEf`),
      change(readFileSync(file, 'utf8')),
    ),
  'mv of another file over it': (file, change) => {
    const fresh = join(dirname(dirname(dirname(dirname(dirname(file))))), 'fresh.md');
    writeFileSync(fresh, change(readFileSync(file, 'utf8')));
    execFileSync('mv', [fresh, file]);
  },
  'cp of another file over it': (file, change) => {
    const fresh = join(dirname(dirname(dirname(dirname(dirname(file))))), 'fresh.md');
    writeFileSync(fresh, change(readFileSync(file, 'utf8')));
    execFileSync('cp', [fresh, file]);
  },
  'cp -p of a file as long, with an older time': (file, change) => {
    const fresh = join(dirname(dirname(dirname(dirname(dirname(file))))), 'fresh.md');
    writeFileSync(fresh, change(readFileSync(file, 'utf8')));
    execFileSync('touch', ['-r', file, fresh]);
    execFileSync('cp', ['-p', fresh, file]);
  },
};

/** The title of tests with the real vim, or the replacement. */
export const vimIs = hasVim ? 'the real vim' : 'no vim here: its system calls instead';
