import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import { type PlanRequest, readInThread } from '../../src/exchange/plan-thread.ts';
import { ImportInProgress, readUploadedPlan } from '../../src/exchange/read-uploaded-plan.ts';
import { limits } from '../../src/base/limits.ts';
import { rarely } from '../support/rarely.ts';

const mebibyte = 1024 * 1024;
const issue = '{"id":"a-1","title":"Dig","status":"open","priority":2}\n';

function requestOf(text: string, path = 'issues.jsonl'): PlanRequest {
  return {
    ...{ files: new Map([[path, [new TextEncoder().encode(text)]]]), paths: [path], from: undefined },
    options: { name: 'Plan', withDeleted: false },
    recordsMax: Infinity,
  };
}

async function refused(work: Promise<unknown>): Promise<PlannerError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).to.be.instanceOf(PlannerError);
  return thrown as PlannerError;
}

/** The next plan is read by a thread of its own. */
async function readsAnother(): Promise<void> {
  const found = await readInThread(requestOf(issue));
  expect(found).to.deep.include({ kind: 'moved' });
}

describe('Reading the plan of another tool in a thread', () => {
  it('ends when its time is over, and serves the event loop until then [D9.moving.bounded]', async () => {
    // A million empty tags, each of which is made a tag.
    const hostile = `{"id":"a-1","title":"Dig","status":"open","priority":2,"labels":[${'"a","b",'.repeat(2_000_000)}"c"]}\n`;
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const error = await refused(readInThread(requestOf(hostile.repeat(4)), { readMs: 300, heapMebibytesMax: 2048 }));
    clearInterval(ticking);
    expect(error).to.include({ code: 'invalid_argument', field: 'file' });
    expect(error.message).to.equal('Reading the plan took longer than 0.3 s.');
    expect(turns).to.be.greaterThan(1);
    await readsAnother();
  });

  rarely('ends when its memory is used up, and the process goes on [D9.moving.bounded]', async () => {
    const few = { readMs: limits.importReadMs, heapMebibytesMax: 32 };
    const [objects, lines, tasks] = [
      '{},'.repeat(1.5 * mebibyte),
      '\n'.repeat(12 * mebibyte),
      '- [ ] a\n'.repeat(mebibyte / 16),
    ];
    for (const [text, path] of [
      // V8 cannot interrupt parsing: the values are counted before.
      [`{"nodes":[${objects}{}]}`, 'plan.canvas'],
      [`{"id":"a-1","title":"Dig","status":"open","labels":[${objects}{}]}`, 'issues.jsonl'],
      [`${lines}${issue}`, 'issues.jsonl'],
      // The reader's result takes more memory than the text.
      [tasks, 'plan.md'],
    ] as const) {
      const error = await refused(readInThread(requestOf(text, path), few));
      expect(error, path).to.deep.include({ code: 'invalid_argument' });
      expect(error.message, path).to.equal('The plan takes too much memory.');
    }
    await readsAnother();
  });

  it('is rejected with more records and edges than one import may have [D9.moving.bounded]', async () => {
    const text = `${issue}${issue.replace('a-1', 'a-2').replace('"priority"', '"dependencies":[{"depends_on_id":"a-1","type":"blocks"}],"priority"')}`;
    expect(await readInThread({ ...requestOf(text), recordsMax: 3 })).to.deep.include({ kind: 'moved' });
    const error = await refused(readInThread({ ...requestOf(text), recordsMax: 2 }));
    expect(error).to.deep.include({ code: 'invalid_argument', details: { records: 3, records_max: 2 } });
  });

  rarely('is rejected for values that are nested without end [D9.moving.bounded]', async () => {
    const nested = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const [text, path] of [
      [`{"id":"a-1","title":"Dig","status":"open","priority":2,"metadata":${nested}}\n`, 'issues.jsonl'],
      [`{"master":{"tasks":[{"id":1,"title":"Dig","extra":${nested}}]}}`, 'tasks.json'],
      [`{"nodes":[{"id":"1","type":"text","text":"Dig","extra":${nested}}]}`, 'plan.canvas'],
      [nested, 'tasks.json'],
    ] as const) {
      const error = await refused(readInThread(requestOf(text, path)));
      expect(error, path).to.include({ code: 'invalid_argument' });
    }
    await readsAnother();
  });

  it('takes no more than the bytes of a plan, and stops reading there [D9.moving.bounded]', async () => {
    const piece = Buffer.from(issue.repeat(Math.ceil(mebibyte / issue.length))).subarray(0, mebibyte);
    const most = limits.importRecordsBytesMax / mebibyte;
    let taken = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        taken++;
        yield piece;
      }
    }
    const upload = { filename: 'issues.jsonl', bytes: endless() };
    const take = (): never => {
      throw new Error('no file is in it');
    };
    const running = new ImportInProgress({ credential: 'owner', isAgent: false });
    const options = { withDeleted: false, isMerged: false };
    const error = await refused(readUploadedPlan(upload, options, take, running));
    running.end();
    expect(error.code).to.equal('payload_too_large');
    expect(error.details).to.deep.equal({ bytes_max: limits.importRecordsBytesMax });
    expect(taken).to.equal(most + 1);
  });
});
