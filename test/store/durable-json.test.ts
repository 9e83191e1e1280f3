import { expect } from 'chai';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { DurableJson, openJson, UnreadableFileError } from '../../src/store/files/disk/durable-json.ts';
import { DurableLines } from '../../src/store/files/disk/durable-lines.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import type { Fault } from '../support/faulty-disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

/** Injects a fault at each call in turn until one is past the last call, and checks the directory after each. */
async function atEveryCall(
  kinds: readonly Omit<Fault, 'at'>[],
  attempt: (disk: ReturnType<typeof faultyDisk>) => Promise<unknown>,
  check: (label: string) => unknown,
): Promise<void> {
  for (const kind of kinds) {
    let fired = true;
    for (let at = 1; fired; at++) {
      const disk = faultyDisk({ fault: { ...kind, at } as Fault });
      await attempt(disk).catch(() => undefined);
      fired = disk.fired;
      disk.closeAll();
      await check(`${kind.kind} at ${at}`);
    }
  }
}

const kinds = [{ kind: 'error', code: 'EIO' }, { kind: 'short' }, { kind: 'stop', torn: 'half' }] as never as Omit<
  Fault,
  'at'
>[];

describe('DurableJson', () => {
  const scratch = scratchDirectory();
  const path = (): string => join(scratch.path, 'config/server.json');

  it('reads null if there is no file, and otherwise the written value', async () => {
    const file = new DurableJson<{ port: number }>(nodeDisk, path());
    expect(await file.read()).to.equal(null);
    await file.write({ port: 4321 });
    expect(await file.read()).to.deep.equal({ port: 4321 });
    expect(readFileSync(path(), 'utf8')).to.equal('{\n  "port": 4321\n}\n');
    expect(readdirSync(join(scratch.path, 'config')), 'no temporary file is left').to.deep.equal(['server.json']);
  });

  it('creates the file with the requested permissions', async () => {
    const file = new DurableJson(nodeDisk, path(), { mode: 0o600 });
    await file.write({ key: 'secret' });
    await file.write({ key: 'other' });
    expect(statSync(path()).mode & 0o777).to.equal(0o600);
  });

  it('syncs the file before its rename and the directory after it', async () => {
    const calls: string[] = [];
    const disk = Object.fromEntries(
      Object.entries(nodeDisk).map(([name, call]) => [
        name,
        (...args: never[]) => (calls.push(name), (call as (...all: never[]) => unknown)(...args)),
      ]),
    ) as unknown as typeof nodeDisk;
    await new DurableJson(disk, path()).write({});
    const steps = calls.filter((name) => ['write', 'sync', 'rename', 'syncDirectory'].includes(name));
    expect(steps).to.deep.equal(['write', 'sync', 'rename', 'syncDirectory']);
  });

  it('names a file that is not JSON and leaves it unchanged', async () => {
    await new DurableJson(nodeDisk, path()).write({});
    writeFileSync(path(), '{"port": ');
    const error = await new DurableJson(nodeDisk, path()).read().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UnreadableFileError);
    expect((error as Error).message).to.contain(path());
    expect(readFileSync(path(), 'utf8')).to.equal('{"port": ');
  });

  it('has the old value or the new one whichever call of the disk fails', async () => {
    const file = new DurableJson<{ value: string }>(nodeDisk, path());
    const [before, after] = [{ value: 'before' }, { value: 'after'.repeat(1000) }];
    await file.write(before);
    await atEveryCall(
      kinds,
      (disk) => new DurableJson<{ value: string }>(disk, path()).write(after),
      (label) => {
        const now = file.readNow()!;
        expect([before.value, after.value], label).to.include(now.value);
        file.writeNow(before);
      },
    );
  });

  it("serves lowdb with a default and with the file's content [A.service.config]", async () => {
    const low = await openJson(nodeDisk, path(), { keys: ['a'] });
    expect(low.data).to.deep.equal({ keys: ['a'] });
    await low.update((data) => data.keys.push('b'));
    expect((await openJson(nodeDisk, path(), { keys: [] as string[] })).data).to.deep.equal({ keys: ['a', 'b'] });
  });
});

for (const checksum of ['sha256', 'crc32'] as const) {
  describe(`DurableLines with ${checksum}`, () => {
    const scratch = scratchDirectory();
    const path = (): string => join(scratch.path, 'cache');
    const lines = (version = 'one', disk = nodeDisk): DurableLines<{ id: number; text: string }> =>
      new DurableLines(disk, path(), version, { checksum });
    const values = (count: number): { id: number; text: string }[] =>
      Array.from({ length: count }, (_, id) => ({ id, text: `Größe\n${'x'.repeat(id % 700)}` }));

    it('reads back written values, in pieces larger than one write', async () => {
      expect(await lines().read()).to.equal(null);
      await lines().write([]);
      expect(await lines().read()).to.deep.equal([]);
      await lines().write(values(9000).values());
      expect(statSync(path()).size).to.be.greaterThan(3_000_000);
      expect(await lines().read()).to.deep.equal(values(9000));
      expect([...lines().values()!]).to.deep.equal(values(9000));
    });

    it('reads null for another version, a truncated and a changed file', async () => {
      await lines().write(values(50));
      const bytes = readFileSync(path());
      const isNull = async (label: string, version?: string): Promise<void> => {
        expect(await lines(version).read(), label).to.equal(null);
        expect(lines(version).values(), label).to.equal(null);
      };
      await isNull('another version', 'two');
      const seal = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
      for (const end of [0, 1, 10, seal - 1, seal, seal + 10, bytes.length - 1]) {
        writeFileSync(path(), bytes.subarray(0, end));
        await isNull(`cut at ${end}`);
      }
      const changed = Buffer.from(bytes);
      changed[200]! ^= 1;
      writeFileSync(path(), changed);
      await isNull('changed');
      changed[bytes.indexOf('{"id":7')] = 0x78;
      writeFileSync(path(), changed);
      await isNull('no JSON');
      writeFileSync(path(), bytes);
      expect(await lines().read()).to.have.lengthOf(50);
    });

    it('has the old values or the new ones whichever call of the disk fails', async () => {
      await lines().write(values(3));
      await atEveryCall(
        kinds,
        (disk) => lines('one', disk).write(values(7000)),
        async (label) => {
          expect([3, 7000], label).to.include((await lines().read())?.length);
          await lines().write(values(3));
        },
      );
    });
  });
}
