import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HeldJournal, type Release } from '../concurrency/held-journal.ts';
import { memoryDirectory } from '../support/memory.ts';
import { openStore, type TestStore } from '../support/plan-store.ts';
import { describeStore, type StoreWorld, type TestedStore } from './describe-store.ts';

class FileStoreWorld implements StoreWorld {
  readonly #directory = mkdtempSync(join(memoryDirectory(), 'planner-store-'));
  readonly #held = new HeldJournal();

  open(): Promise<TestStore> {
    return openStore(this.#directory, { disk: this.#held.disk, log: () => undefined });
  }

  kill(store: TestedStore): void {
    (store as TestStore).abandon();
  }

  dropCaches(): void {
    rmSync(join(this.#directory, '.planner/local/index-cache'), { force: true });
  }

  hold(): void {
    this.#held.hold();
  }

  reached(): Promise<void> {
    return this.#held.reached();
  }

  release(how: Release): void {
    this.#held.release(how);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

describeStore({ name: 'over files', make: () => new FileStoreWorld(), isShared: false });
