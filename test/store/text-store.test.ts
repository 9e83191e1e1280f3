import { expect } from 'chai';
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { TextStore } from '../../src/store/files/project/text-store.ts';
import { lazyHash, withLazyText } from '../../src/store/record/lazy-text.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import type { Fault } from '../support/faulty-disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

const text = `# Größe\n${'line\n'.repeat(20_000)}`;

describe('TextStore', () => {
  const scratch = scratchDirectory();
  const path = (sha256: string): string => join(scratch.path, 'texts', sha256.slice(0, 2), sha256);

  it('keeps a text under its hash, once, over restarts', () => {
    const store = new TextStore(nodeDisk, scratch.path);
    const reference = store.put(text);
    expect(reference.bytes).to.equal(Buffer.byteLength(text));
    expect(store.put(text)).to.deep.equal(reference);
    const again = new TextStore(nodeDisk, scratch.path);
    expect(again.get(reference.sha256)).to.equal(text);
    expect(again.put(text)).to.deep.equal(reference);
    expect(readdirSync(join(scratch.path, 'texts'))).to.deep.equal([reference.sha256.slice(0, 2)]);
  });

  it('detects a truncated copy after a crash, and replaces it', () => {
    const { sha256 } = new TextStore(nodeDisk, scratch.path).put(text);
    truncateSync(path(sha256), 100);
    const store = new TextStore(nodeDisk, scratch.path);
    expect(store.has(sha256)).to.equal(false);
    expect(() => store.get(sha256)).to.throw(sha256);
    store.put(text);
    expect(store.get(sha256)).to.equal(text);
  });

  it('writes a text again after its file was removed', () => {
    const store = new TextStore(nodeDisk, scratch.path);
    const { sha256 } = store.put(text);
    rmSync(join(scratch.path, 'texts'), { recursive: true });
    store.put(text);
    expect(store.get(sha256)).to.equal(text);
  });

  it('never returns a partial text whichever call of the disk fails', () => {
    let fired = true;
    for (let at = 1; fired; at++) {
      const disk = faultyDisk({ fault: { at, kind: 'stop', torn: 'half' } satisfies Fault });
      try {
        new TextStore(disk, scratch.path).put(text);
      } catch {
        // The disk stopped.
      }
      fired = disk.fired;
      disk.closeAll();
      const store = new TextStore(nodeDisk, scratch.path);
      const { sha256 } = store.put(text);
      expect(store.get(sha256)).to.equal(text);
      rmSync(join(scratch.path, 'texts'), { recursive: true });
    }
  });

  it('removes unreferenced texts', () => {
    const store = new TextStore(nodeDisk, scratch.path);
    const kept = store.put(text);
    const left = store.put(`${text}more`);
    writeFileSync(join(scratch.path, 'texts', left.sha256.slice(0, 2), '.7-1.tmp'), 'left by a crash');
    expect(store.sweep(new Set([kept.sha256]))).to.equal(2);
    expect([store.has(kept.sha256), store.has(left.sha256)]).to.deep.equal([true, false]);
  });
});

describe('A record with a lazy text', () => {
  const scratch = scratchDirectory();
  const plain = Object.freeze({ id: 'doc_1', title: 'A', body: text, notes: 'short' });

  it('looks like the record that contains the text', () => {
    const store = new TextStore(nodeDisk, scratch.path);
    const { sha256 } = store.put(text);
    const lazy = withLazyText({ ...plain, body: '' }, 'body', sha256, store);
    expect(lazy).to.deep.equal(plain);
    expect({ ...lazy }).to.deep.equal(plain);
    expect(Reflect.ownKeys({ ...lazy })).to.deep.equal(Object.keys(plain));
    expect(JSON.stringify(lazy)).to.equal(JSON.stringify(plain));
    expect(structuredClone(lazy)).to.deep.equal(plain);
    expect(Object.isFrozen(lazy)).to.equal(true);
    expect(lazyHash({ ...lazy }, 'body'), 'a copy by spreading holds the text').to.equal(undefined);
  });

  it('reads the disk only when the text is read [A.memory.texts]', () => {
    const disk = faultyDisk({ countReads: true });
    const store = new TextStore(disk, scratch.path);
    const { sha256 } = store.put(text);
    disk.arm(undefined);
    const lazy = withLazyText(plain, 'body', sha256, store);
    const both = withLazyText(lazy, 'notes', sha256, store);
    expect(lazyHash(both, 'body')).to.equal(sha256);
    expect(lazyHash(both, 'notes')).to.equal(sha256);
    expect(lazyHash(lazy, 'notes')).to.equal(undefined);
    expect(both.title).to.equal('A');
    expect(disk.calls).to.equal(0);
    expect(both.body).to.equal(text);
    expect(disk.calls).to.be.greaterThan(0);
  });
});
