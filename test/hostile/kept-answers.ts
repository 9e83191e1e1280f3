import { expect } from 'chai';
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { idempotencyCollection } from '../../src/operations/pipeline/idempotency.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { DurableLines } from '../../src/store/files/disk/durable-lines.ts';
import { Journal } from '../../src/store/files/journal/journal.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { RootLayout } from '../../src/store/files/disk/root-layout.ts';
import { reached } from '../support/reached.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { startServe } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';

export interface KeptAnswers {
  /** Bytes of `local/service`, and of the journal. */
  readonly snapshotBytes: number;
  readonly journalBytes: number;
  /** Heap of the service that opens them. */
  readonly heapMegabytes: number;
}

/** Reading gigabytes takes a minute, several on a loaded machine. */
const openMsMax = 600_000;
const textBytes = 2_000_000;
const credential = 'loopback';

/** A store as versions without limits left it: whole results in the snapshot, whole results and texts in the journal. */
class LargeStore {
  readonly directory: string;
  readonly layout: RootLayout;
  document!: StoredRecord;
  project!: string;
  #answer = '';

  constructor(directory: string) {
    this.directory = directory;
    this.layout = new RootLayout(join(directory, '.planner'));
  }

  async make(): Promise<void> {
    const service = await TestService.start({ directory: this.directory });
    this.project = await service.project();
    const body = 'Large. '.repeat(textBytes / 7);
    const { id } = (await service.rest.post(`/projects/${this.project}/documents`, { title: 'Large', body })).body;
    await service.store.flush();
    this.document = await service.store.read(this.project, (view) => ({ ...view.get('document', id)! }));
    this.#answer = JSON.stringify({ document: (await service.rest.get(`/documents/${id}`)).body as unknown });
    await service.stop();
  }

  /** The record of a call `PATCH {status: "s<at>"}` as those versions stored it. */
  answered(at: number): StoredRecord & { readonly drop_at: string } {
    const input = JSON.stringify({ document_id: this.document.id, status_line: `s${at}` });
    return {
      id: hash('sha256', `${credential}\0key-${at}`, 'hex'),
      created_at: this.document.created_at,
      updated_at: this.document.created_at,
      operation: 'update_document',
      digest: hash('sha256', input, 'hex'),
      answer: this.#answer,
      etag: '"own.rest"',
      drop_at: new Date(Date.parse(this.document.created_at) + 24 * 3_600_000).toISOString(),
    } as StoredRecord & { drop_at: string };
  }

  async writeSnapshot(bytes: number): Promise<number> {
    const count = Math.ceil(bytes / textBytes);
    const others = [...(new DurableLines(nodeDisk, this.layout.serviceSnapshot, '1').values() ?? [])];
    const lines = function* (this: LargeStore): Generator<unknown> {
      for (let at = 0; at < count; at++) yield { collection: idempotencyCollection.name, record: this.answered(at) };
      yield* others;
    };
    await new DurableLines(nodeDisk, this.layout.serviceSnapshot, '1').write({ [Symbol.iterator]: lines.bind(this) });
    return count;
  }

  /** Half of the changes keep the large text, half are autosaves with another text each. */
  async writeJournal(bytes: number, from: number): Promise<number> {
    const { journal } = Journal.open({ disk: nodeDisk, directory: this.layout.journal });
    const { id, project } = { id: this.document.id, project: this.project };
    let record = this.document as StoredRecord & { readonly body: string; readonly status: string | null };
    const count = Math.ceil(bytes / (2.5 * textBytes));
    for (let at = 0; at < count; at++) {
      const former = record;
      const body = at % 2 === 0 ? former.body : `${at} ${former.body.slice(0, -5)}`;
      record = { ...former, status: `s${from + at}`, body };
      const was = { status: former.status, ...(body === former.body ? {} : { body: former.body }) };
      const revision = {
        ...{ at: record.created_at, id: `rev_${String(at).padStart(16, '0')}`, target: id, target_type: 'document' },
        ...{ author: 'human:Ada', fields: Object.keys(was), before: was, after: `after-${at}` },
      };
      await journal.append({
        project,
        after: journal.headOf(project),
        id: `evt_${at}`,
        body: {
          ...{ at: record.created_at, author: 'human:Ada', source: 'rest' },
          changes: [{ c: 'document', id, to: record, was }],
          revisions: [revision],
          service: [{ c: idempotencyCollection.name, id: this.answered(from + at).id, to: this.answered(from + at) }],
        },
      });
    }
    await journal.close();
    this.document = record;
    return count;
  }
}

export function describeKeptAnswers({ snapshotBytes, journalBytes, heapMegabytes }: KeptAnswers): void {
  describe(`A store with ${snapshotBytes / 1e6} MB of stored responses and a journal of ${journalBytes / 1e6} MB`, function () {
    this.timeout(2 * openMsMax);
    const scratch = scratchDirectory();

    it(`opens in a heap of ${heapMegabytes} MB, knows every key, and is small afterwards [A.hostile.repeats]`, async () => {
      const store = new LargeStore(scratch.path);
      await store.make();
      const kept = await store.writeSnapshot(snapshotBytes);
      const journaled = await store.writeJournal(journalBytes, kept);
      const sizes = [statSync(store.layout.serviceSnapshot).size, sizeOf(store.layout.journal)];
      expect(sizes[0]).to.be.at.least(snapshotBytes);
      expect(sizes[1]).to.be.at.least(journalBytes);

      const heap = `--max-old-space-size=${heapMegabytes}`;
      const service = await startServe(scratch.path, { flags: [heap], msMax: openMsMax });
      try {
        const rest = new RestClient(service.url);
        const path = `/documents/${store.document.id}`;
        const { body: now } = await rest.get(path);
        const { body, status } = store.document as StoredRecord & { readonly body: string; readonly status: string };
        expect([now.status, now.body === body], 'the last entry of the journal').to.deep.equal([status, true]);
        for (const at of [0, kept - 1, kept, kept + journaled - 1]) {
          const answer = await rest.patch(path, { status: `s${at}` }, { 'Idempotency-Key': `key-${at}` });
          expect([answer.status, answer.body.status], `a repeat of ${at} changes nothing`).to.deep.equal([200, status]);
        }
        const reused = await rest.patch(path, { status: 'other' }, { 'Idempotency-Key': 'key-1' });
        expect(reused.body.error).to.equal('conflict');
        const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
        reached(
          'MB of answers and journal opened, MB of memory at most',
          `${Math.round((sizes[0]! + sizes[1]!) / 1e6)}, ${Math.round(Number(peak) / 1e3)} (${Math.round(service.startedMs)} ms)`,
        );
      } finally {
        expect(await service.stop(), service.output()).to.equal(0);
      }
      expect(statSync(store.layout.serviceSnapshot).size).to.be.below(1_000_000 + (kept + journaled) * 1000);
      expect(sizeOf(store.layout.journal)).to.be.below(1_000_000);
    });
  });
}

function sizeOf(directory: string): number {
  return nodeDisk.list(directory).reduce((sum, { name }) => sum + statSync(join(directory, name)).size, 0);
}
