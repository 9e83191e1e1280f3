import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { holdsBytes, linkOrCopy } from '../../src/store/files/checkpoint/link-bytes.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { diskDirectory } from '../support/memory.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('A hard link to bytes [A.bytes.read]', () => {
  const scratch = scratchDirectory(diskDirectory());
  const at = (path: string): string => join(scratch.path, path);
  const failing = (code: string): (() => never) => {
    return () => {
      throw Object.assign(new Error(code), { code });
    };
  };

  beforeEach(() => writeFileSync(at('from'), 'bytes'.repeat(500_000)));

  it('is a link if the file system supports that', () => {
    linkOrCopy(nodeDisk, at('from'), at('to'), at('tmp'));
    expect(statSync(at('to')).ino).to.equal(statSync(at('from')).ino);
    expect(existsSync(at('tmp'))).to.equal(false);
  });

  it('is a copy if it does not, and nothing else is left', () => {
    for (const code of ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES']) {
      linkOrCopy(hookedDisk({ link: failing(code) }), at('from'), at(code), at('tmp'));
      expect(readFileSync(at(code)).equals(readFileSync(at('from'))), code).to.equal(true);
      expect(statSync(at(code)).ino).not.to.equal(statSync(at('from')).ino);
    }
    expect(readdirSync(at('tmp'))).to.deep.equal([]);
  });

  it('replaces nothing, and hides no other failure', () => {
    writeFileSync(at('to'), 'theirs');
    expect(() => linkOrCopy(nodeDisk, at('from'), at('to'), at('tmp'))).to.throw('EEXIST');
    expect(readFileSync(at('to'), 'utf8')).to.equal('theirs');
    expect(() => linkOrCopy(hookedDisk({ link: failing('EIO') }), at('from'), at('other'), at('tmp'))).to.throw('EIO');
    expect(existsSync(at('other'))).to.equal(false);
  });

  it('leaves no temporary file and nothing open if the copy fails', () => {
    for (const call of ['write', 'sync', 'rename', 'readAt'] as const) {
      let open = 0;
      const disk = hookedDisk({
        link: failing('EXDEV'),
        open: () => open++,
        close: () => open--,
        [call]: failing('ENOSPC'),
      });
      expect(() => linkOrCopy(disk, at('from'), at('to'), at('tmp')), call).to.throw('ENOSPC');
      expect([readdirSync(at('tmp')), existsSync(at('to')), open], call).to.deep.equal([[], false, 0]);
    }
  });

  it('is verified by size and hash, as a file and not through a link', () => {
    const content = readFileSync(at('from'));
    const { length: size } = content;
    const sha256 = hash('sha256', content, 'hex');
    expect(holdsBytes(nodeDisk, { to: at('from'), size, sha256 } as never)).to.equal(true);
    expect(holdsBytes(nodeDisk, { to: at('from'), size: size + 1, sha256 } as never)).to.equal(false);
    expect(holdsBytes(nodeDisk, { to: at('none'), size, sha256 } as never)).to.equal(false);
    symlinkSync(at('from'), at('link'));
    expect(holdsBytes(nodeDisk, { to: at('link'), size, sha256 } as never)).to.equal(false);
    writeFileSync(at('from'), 'other'.repeat(500_000));
    expect(holdsBytes(nodeDisk, { to: at('from'), size, sha256 } as never)).to.equal(false);
  });
});
