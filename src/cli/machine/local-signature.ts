import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { DurableJson } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import type { MachineSecret } from './machine-secret.ts';

/** One signature of a `local/`. Each user and each machine with access to the directory has its own. */
interface Signature {
  /** The signed `.planner` directory, absolute. */
  readonly root: string;
  /** The inode of its `local/`, which identifies a root after it was moved. */
  readonly inode: number;
  readonly mac: string;
}

interface SignatureFile {
  readonly signatures: readonly Signature[];
}

/** Limits the file: each container that starts without a persistent secret adds a signature. */
const signaturesMax = 20;

/**
 * `local/signatures.json` proves that Planner created this `local/` for a user who has the secret. A signature is valid for one path, or for
 * the same directory after it was moved: one that was published by mistake is useless elsewhere.
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

  /**
   * Returns whether a signature is valid for this secret, and for this path or for this directory before it was moved.
   */
  isSigned(secret: MachineSecret): boolean {
    const inode = this.#inode();
    return this.#read().some(
      (one) => (one.root === this.#root || one.inode === inode) && isEqual(one.mac, macOf(secret, one)),
    );
  }

  /** Returns whether a signature is valid for this secret and this path. */
  isSignedHere(secret: MachineSecret): boolean {
    return this.#read().some((one) => one.root === this.#root && isEqual(one.mac, macOf(secret, one)));
  }

  /** Adds a signature; creates `local/` if it does not exist. Signatures of other users are kept. */
  sign(secret: MachineSecret): void {
    const others = this.#read().filter((one) => !isEqual(one.mac, macOf(secret, one)));
    this.#disk.makeDirectory(join(this.#root, 'local'), 0o700);
    const signed = { root: this.#root, inode: this.#inode() ?? 0 };
    const signatures = [{ ...signed, mac: macOf(secret, signed) }, ...others].slice(0, signaturesMax);
    this.#file.writeNow({ signatures });
  }

  #inode(): number | undefined {
    return this.#disk.stat(join(this.#root, 'local'))?.ino;
  }

  /** An unreadable file counts as unsigned: a repository may contain any file. */
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
