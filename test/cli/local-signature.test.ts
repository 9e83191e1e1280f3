import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalSignatures } from '../../src/cli/machine/local-signature.ts';
import type { MachineSecret } from '../../src/cli/machine/machine-secret.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('Signatures of a local/', () => {
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, path);
  const [ada, bob]: readonly MachineSecret[] = ['a', 'b'].map((one) => ({ secret: one.repeat(43), createdMs: 0 }));
  const of = (root: string): LocalSignatures => new LocalSignatures(nodeDisk, at(root));
  const inode = (root: string): number => statSync(at(`${root}/local`)).ino;
  const fileOf = (root: string): string => at(`${root}/local/signatures.json`);

  interface Kept {
    readonly root: unknown;
    readonly inode: unknown;
    readonly mac: unknown;
  }

  const kept = (root: string): readonly Kept[] =>
    (JSON.parse(readFileSync(fileOf(root), 'utf8')) as { signatures: readonly Kept[] }).signatures;
  const keep = (root: string, content: unknown): void => writeFileSync(fileOf(root), JSON.stringify(content));

  it('include the ones in the files that earlier versions wrote [A.hostile.local-signed]', () => {
    mkdirSync(at('root/local'), { recursive: true });
    const place = { root: at('root'), inode: inode('root') };
    const text = JSON.stringify(['planner local/', place.root, place.inode]);
    const mac = createHmac('sha256', ada!.secret).update(text).digest('base64url');
    keep('root', { signatures: [{ ...place, mac }] });
    expect([of('root').isSigned(ada!), of('root').isSignedHere(ada!)]).to.deep.equal([true, true]);
    expect([of('root').isSigned(bob!), of('root').isSignedHere(bob!)]).to.deep.equal([false, false]);
    of('root').sign(ada!);
    expect(kept('root')).to.deep.equal([{ ...place, mac }]);
  });

  it('are created with the directory, one for each user, readable by that user only [A.hostile.local-signed]', () => {
    mkdirSync(at('root'));
    of('root').sign(ada!);
    expect(statSync(at('root/local')).mode & 0o777).to.equal(0o700);
    expect(statSync(fileOf('root')).mode & 0o777).to.equal(0o600);
    expect(of('root').isSigned(bob!)).to.equal(false);
    of('root').sign(bob!);
    of('root').sign(ada!);
    expect(kept('root')).to.have.length(2);
    for (const user of [ada!, bob!]) expect(of('root').isSignedHere(user)).to.equal(true);
  });

  it('are valid for a moved directory and for one restored in its place, and not for a copy [A.hostile.local-signed]', () => {
    mkdirSync(at('root'));
    of('root').sign(ada!);
    renameSync(at('root'), at('moved'));
    expect([of('moved').isSigned(ada!), of('moved').isSignedHere(ada!)]).to.deep.equal([true, false]);
    // Another user's signature is for this path; ada's is still for the other.
    of('moved').sign(bob!);
    expect(of('moved').isSignedHere(ada!)).to.equal(false);
    cpSync(at('moved'), at('copy'), { recursive: true });
    expect([of('copy').isSigned(ada!), of('copy').isSigned(bob!)]).to.deep.equal([false, false]);
    rmSync(at('moved'), { recursive: true });
    renameSync(at('copy'), at('moved'));
    expect(of('moved').isSigned(bob!)).to.equal(true);
  });

  it('are invalid if they only look like one: of another path or directory, longer, shorter, or of another secret [A.hostile.local-signed]', () => {
    mkdirSync(at('root'));
    of('root').sign(ada!);
    const [own] = kept('root');
    const mac = String(own!.mac);
    const turned = `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
    for (const forged of [
      { mac: turned },
      { mac: mac.slice(1) },
      { mac: `${mac}=` },
      { root: '/other' },
      { inode: 1 },
    ]) {
      keep('root', { signatures: [{ ...own, ...forged }] });
      expect(of('root').isSigned(ada!), JSON.stringify(forged)).to.equal(false);
      expect(of('root').isSignedHere(ada!), JSON.stringify(forged)).to.equal(false);
    }
  });

  it('are read among other contents of the file, which are dropped [A.hostile.local-signed]', () => {
    mkdirSync(at('root'));
    of('root').sign(ada!);
    const [own] = kept('root');
    const junk = [null, 'text', { ...own, root: 1 }, { ...own, inode: '1' }, { ...own, mac: 1 }, { ...own, mac: null }];
    keep('root', { signatures: [...junk, own] });
    expect(of('root').isSigned(ada!)).to.equal(true);
    of('root').sign(bob!);
    expect(kept('root')).to.have.length(2);
    for (const content of [null, [], {}, { signatures: 'many' }, { signatures: { length: 1 } }]) {
      keep('root', content);
      expect(of('root').isSigned(ada!), JSON.stringify(content)).to.equal(false);
    }
    writeFileSync(fileOf('root'), '{"signatures": [');
    expect(of('root').isSigned(ada!)).to.equal(false);
    of('root').sign(ada!);
    expect(of('root').isSigned(ada!)).to.equal(true);
  });

  it('are twenty at most, the newest [A.hostile.local-signed]', () => {
    mkdirSync(at('root'));
    const users = Array.from({ length: 25 }, (_, i) => ({ secret: String(i).padStart(43, 'x'), createdMs: 0 }));
    for (const user of users) of('root').sign(user);
    expect(kept('root')).to.have.length(20);
    expect(users.map((user) => of('root').isSigned(user))).to.deep.equal(users.map((_, i) => i >= 5));
  });
});
