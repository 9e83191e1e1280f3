import { expect } from 'chai';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { diskDirectory } from '../support/memory.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { makeProject, openStore, projectDirectory, rescanTwice, type TestStore, write } from '../support/plan-store.ts';

const folders = ['', 'A/', 'B/', 'A/Deep/'];

/** A file of the model. `id` is undefined until it was served. */
interface ModelFile {
  id: string | undefined;
  /** Another file has the same content: only the inode distinguishes them. */
  isCopied: boolean;
}

describe('Files without an id', () => {
  const scratch = scratchDirectory(diskDirectory());
  let store: TestStore;
  afterEach(() => store.close());

  /** With `watch` the edits are noticed by events, else by a rescan. */
  async function renamesAtRandom(rounds: number, watch: boolean): Promise<void> {
    const random = Random.announced('renames');
    const open = async (): Promise<void> => {
      store = await openStore(scratch.path, { watch });
      await store.watching();
    };
    await open();
    const project = await makeProject(store);
    await store.flush();
    const directory = projectDirectory(scratch.path);
    const at = (path: string): string => join(directory, 'documents', path);
    let model = new Map<string, ModelFile>();
    /** Paths that this round has used: a name that is taken over twice in one edit has no one history. */
    let used = new Set<string>();
    let files = 0;
    /** The index cache is older than a copy: if the original was removed since, a kill makes it look like a rename. */
    let isCopyNew = false;

    const freePath = (): string => {
      for (;;) {
        const path = `${random.pick(folders)}${random.integer(1, 40)}.md`;
        if (!model.has(path) && !used.has(path)) return path;
      }
    };
    const text = (): string =>
      Array.from({ length: 6 }, (_, i) => `File ${++files}, line ${i} ${'x'.repeat(i)}`).join('\n');
    const known = (): string | undefined => {
      const paths = [...model.keys()].filter((path) => !used.has(path));
      return paths.length === 0 ? undefined : random.pick(paths);
    };
    const add = (path: string): void => {
      write(at(path), `${text()}\n`);
      model.set(path, { id: undefined, isCopied: false });
    };

    function rename(from: string, to: string): void {
      const file = model.get(from)!;
      mkdirSync(dirname(at(to)), { recursive: true });
      const isRenamed = random.chance(0.5) || file.isCopied;
      if (isRenamed) renameSync(at(from), at(to));
      else {
        // As git and programs that save under another name do: another inode, perhaps other lines.
        const more = random.chance(0.5) ? `One more line ${++files}\n` : '';
        writeFileSync(at(to), readFileSync(at(from), 'utf8') + more);
        rmSync(at(from));
      }
      model.delete(from);
      model.set(to, file);
      used.add(from).add(to);
      // Often the name is taken immediately.
      if (isRenamed && random.chance(0.3)) add(from);
    }

    function happen(): void {
      const from = known();
      const kind = from === undefined ? 0 : random.integer(0, 9);
      if (from === undefined || kind <= 1) {
        const path = freePath();
        used.add(path);
        add(path);
      } else if (kind <= 6) rename(from, freePath());
      else if (kind === 7) {
        const path = freePath();
        mkdirSync(dirname(at(path)), { recursive: true });
        copyFileSync(at(from), at(path));
        model.get(from)!.isCopied = true;
        model.set(path, { id: undefined, isCopied: true });
        used.add(path).add(from);
        isCopyNew = true;
      } else if (kind === 8) {
        writeFileSync(at(from), `${readFileSync(at(from), 'utf8')}An edit ${++files}\n`);
        used.add(from);
      } else {
        rmSync(at(from));
        model.delete(from);
        used.add(from);
      }
    }

    /** A whole folder gets another name, with all that is in it. */
    function renameFolder(): void {
      if (!existsSync(at('A')) || existsSync(at('C')) || used.size > 0) return;
      renameSync(at('A'), at('C'));
      model = new Map([...model].map(([path, file]) => [path.replace(/^A\//, 'C/'), file]));
    }

    function renameFolderBack(): void {
      if (!existsSync(at('C')) || existsSync(at('A')) || used.size > 0) return;
      renameSync(at('C'), at('A'));
      model = new Map([...model].map(([path, file]) => [path.replace(/^C\//, 'A/'), file]));
    }

    async function check(round: number): Promise<void> {
      const served = await store.read(project, (view) =>
        [...view.list('document')].map(({ id }) => [view.pathOf(id)!.split('/documents/')[1]!, id] as const),
      );
      expect(await store.read(project, (view) => view.problems), `round ${round}`).to.deep.equal([]);
      expect(served.map(([path]) => path).sort(), `round ${round}`).to.deep.equal([...model.keys()].sort());
      expect(new Set(served.map(([, id]) => id)).size).to.equal(served.length);
      for (const [path, id] of served) {
        const file = model.get(path)!;
        file.id ??= id;
        expect(id, `${path} in round ${round}`).to.equal(file.id);
      }
      expect(store.check()).to.deep.equal([]);
    }

    async function notice(round: number): Promise<void> {
      for (let tries = watch ? 300 : 0; tries > 0; tries--) {
        const paths = await store.read(project, (view) =>
          [...view.list('document')].map(({ id }) => view.pathOf(id)!.split('/documents/')[1]!),
        );
        if (isDeepStrictEqual(paths.sort(), [...model.keys()].sort())) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if (watch) await new Promise((resolve) => setTimeout(resolve, 90));
      else await rescanTwice(store);
      await check(round);
    }

    for (let round = 1; round <= rounds; round++) {
      used = new Set();
      const isDown = random.chance(0.2);
      if (isDown) {
        await store.close();
        // The index cache has all copies until now. Copies made while no service runs are newer.
        isCopyNew = false;
      }
      if (random.chance(0.1)) renameFolder();
      else if (random.chance(0.2)) renameFolderBack();
      else for (let left = random.integer(1, 6); left > 0; left--) happen();
      if (isDown) await open();
      await notice(round);
      if (!isCopyNew && random.chance(0.2)) {
        await store.flush();
        store.abandon();
        await open();
        await check(round);
      }
    }
    reached('random renames of files without an id', `${rounds} rounds (seed ${random.seed})`);
  }

  it('that are renamed, moved, copied, edited and removed at random, over restarts and kills, keep their records [A.format.no-id-rename]', async function () {
    this.timeout(120_000);
    await renamesAtRandom(40, false);
  });

  it('and so they do if events report the edits [A.format.no-id-rename, A.edit.live]', async function () {
    this.timeout(120_000);
    await renamesAtRandom(25, true);
  });
});
