import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { DurableJson } from '../store/index.ts';
import type { Disk } from '../store/index.ts';
import type { MachineSecret } from './machine-secret.ts';

/** One signature of a `local/`. Each user and each machine that works on the same directory has its own. */
interface Signature {
  /** The `.planner` directory that it was made for, absolute. */
  readonly root: string;
  /** The inode of its `local/`, by which a root that was moved is recognised. */
  readonly inode: number;
  readonly mac: string;
}

interface SignatureFile {
  readonly signatures: readonly Signature[];
}

/** Containers that start without a kept secret add one each. */
const signaturesMax = 20;

/**
 * `local/signatures.json`: that this `local/` was made by Planner for a user who has the secret. It is for one place: a signature that a
 * person published by mistake is of no use anywhere else, unless it is for the directory itself, moved.
 */
export class LocalSignatures {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #file: DurableJson<SignatureFile>;

  /** `root`: the `.planner` directory, absolute. */
  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
    this.#file = new DurableJson(disk, join(root, 'local', 'signatures.json'), { mode: 0o600 });
  }

  /** Whether one of them was made with this secret, for this path or for this directory before it was moved. */
  isSigned(secret: MachineSecret): boolean {
    const inode = this.#inode();
    return this.#read().some(
      (one) => (one.root === this.#root || one.inode === inode) && isEqual(one.mac, macOf(secret, one)),
    );
  }

  /** Whether one is for this very path. */
  isSignedHere(secret: MachineSecret): boolean {
    return this.#read().some((one) => one.root === this.#root && isEqual(one.mac, macOf(secret, one)));
  }

  /** Signs, making `local/` if it is not there. Those of others stay. */
  sign(secret: MachineSecret): void {
    const others = this.#read().filter((one) => !isEqual(one.mac, macOf(secret, one)));
    this.#disk.makeDirectory(join(this.#root, 'local'), 0o700);
    const place = { root: this.#root, inode: this.#inode() ?? 0 };
    const signatures = [{ ...place, mac: macOf(secret, place) }, ...others].slice(0, signaturesMax);
    this.#file.writeNow({ signatures });
  }

  #inode(): number | undefined {
    return this.#disk.stat(join(this.#root, 'local'))?.ino;
  }

  /** A file that cannot be read has no signature: a repository may have brought it. */
  #read(): readonly Signature[] {
    try {
      const found = this.#file.readNow() as Partial<SignatureFile> | null;
      const list: readonly unknown[] = Array.isArray(found?.signatures) ? found.signatures : [];
      return list.filter(isSignature).slice(0, signaturesMax);
    } catch {
      return [];
    }
  }
}

function isSignature(value: unknown): value is Signature {
  const { root, inode, mac } = (value ?? {}) as Partial<Signature>;
  return typeof root === 'string' && typeof inode === 'number' && typeof mac === 'string';
}

function macOf({ secret }: MachineSecret, { root, inode }: Omit<Signature, 'mac'>): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['planner local/', root, inode]))
    .digest('base64url');
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
