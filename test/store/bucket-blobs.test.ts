import { createHash, randomBytes } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import type { PlannerError } from '../../src/errors.ts';
import { parseBucketUrl } from '../../src/store/hosted/bucket-url.ts';
import { openPgStorage } from '../../src/store/hosted/pg-storage.ts';
import { S3Bucket } from '../../src/store/hosted/s3-bucket.ts';
import type { SharedStorage } from '../../src/store/hosted/shared-storage.ts';
import { emptyHead } from '../../src/store/log.ts';
import { withBucketKeys } from '../support/bucket-keys.ts';
import { ObjectServer } from '../support/object-server.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { SwiftServer, whyNoSwift } from '../support/swift-server.ts';

const address = (endpoint: string, bucket = 'plans'): ReturnType<typeof parseBucketUrl> =>
  parseBucketUrl(`s3://${bucket}/garden/files?endpoint=${endpoint}`, undefined, 'PLANNER_BLOBS');

const thrownBy = (promise: Promise<unknown>): Promise<PlannerError> =>
  promise.then(
    () => expect.fail('Nothing was thrown.'),
    (error: unknown) => error as PlannerError,
  );

interface Store {
  readonly endpoint: string;
  stop(): Promise<void>;
  resume(): Promise<void>;
}

postgresTests('The bytes of files in a bucket', () => {
  let cluster: PostgresCluster;
  let schemas = 0;
  let schema: string;
  let storage: SharedStorage;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());

  const open = async (endpoint: string | undefined): Promise<SharedStorage> =>
    openPgStorage({
      ...{ url: cluster.primary.url, schema, durability: 'disk' },
      bucket: endpoint === undefined ? undefined : await S3Bucket.open(address(endpoint)),
    });

  async function fresh(endpoint: string | undefined): Promise<void> {
    schema = `bucket_${process.pid}_${++schemas}`;
    storage = await open(endpoint);
  }

  async function reopen(endpoint: string | undefined): Promise<void> {
    await storage.close();
    storage = await open(endpoint);
  }

  const read = async (sha256: string, range?: { start: number; end: number }): Promise<Buffer> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of storage.blobs.get(sha256, range)) pieces.push(piece);
    return Buffer.concat(pieces);
  };

  const grow = (hours: number, except = ''): Promise<unknown> =>
    Promise.all(
      [
        `UPDATE ${schema}.blob SET staged_at = staged_at - interval '${hours} hours' WHERE sha256 <> $1`,
        `UPDATE ${schema}.blob_object SET announced_at = announced_at - interval '${hours} hours' WHERE sha256 IS DISTINCT FROM $1`,
      ].map((text) => cluster.primary.query(text, [except])),
    );

  const objects = async (): Promise<readonly string[]> =>
    (await cluster.primary.query(`SELECT object FROM ${schema}.blob_object`)).map(({ object }) => object as string);

  const use = (sha256: string): Promise<unknown> =>
    storage.log.append({ project: 'p', after: emptyHead, id: 'evt_1', body: {}, beside: { blobs: [sha256] } });

  /** What holds with every store. */
  function describeStored(store: () => Store): void {
    beforeEach(() => fresh(store().endpoint));
    afterEach(() => storage.close());

    it('are returned as they were stored, in whole and in part [A.nodes.bucket]', async () => {
      const bytes = randomBytes(3_500_000);
      for (const size of [0, 1, 1024 * 1024, bytes.length]) {
        const part = bytes.subarray(0, size);
        const staged = await storage.blobs.put([part.subarray(0, 5), part.subarray(5)]);
        expect(staged).to.deep.equal({ size, sha256: createHash('sha256').update(part).digest('hex') });
        expect((await read(staged.sha256)).equals(part), String(size)).to.equal(true);
      }
      const { sha256 } = await storage.blobs.put([bytes]);
      for (const [start, end] of [
        [0, 10],
        [1024 * 1024 - 5, 1024 * 1024 + 5],
        [2_000_000, 9_000_000],
      ] as const)
        expect((await read(sha256, { start, end })).equals(bytes.subarray(start, end))).to.equal(true);
      // None of them is in the database.
      expect(await cluster.primary.query(`SELECT FROM ${schema}.blob_part`)).to.have.length(0);
    });

    it('are stored once, also if several callers store them at the same time [A.nodes.bucket]', async () => {
      const bytes = randomBytes(1_200_000);
      const all = await Promise.all(Array.from({ length: 6 }, () => storage.blobs.put([bytes])));
      expect(new Set(all.map(({ sha256 }) => sha256)).size).to.equal(1);
      expect((await read(all[0]!.sha256)).equals(bytes)).to.equal(true);
      await use(all[0]!.sha256);
      await grow(25);
      expect(await storage.blobs.sweep()).to.equal(0);
      expect(await objects(), 'those of the callers that came second are removed').to.have.length(1);
      expect((await read(all[0]!.sha256)).equals(bytes)).to.equal(true);
    });

    it('are removed after a day, unless an entry references them [A.nodes.bucket]', async () => {
      const [used, unused, young] = await Promise.all(
        ['used', 'unused', 'young'].map((text) => storage.blobs.put([Buffer.from(text)])),
      );
      await use(used!.sha256);
      await grow(25, young!.sha256);
      expect(await storage.blobs.sweep()).to.equal(1);
      expect((await read(used!.sha256)).toString()).to.equal('used');
      expect((await read(young!.sha256)).toString()).to.equal('young');
      expect((await thrownBy(read(unused!.sha256))).code).to.equal('not_found');
      expect((await storage.log.append({ ...next, beside: { blobs: [unused!.sha256] } })).is).to.equal('missing');
      expect(await objects()).to.have.length(2);
      // Stored again, they are there again.
      await storage.blobs.put([Buffer.from('unused')]);
      expect((await read(unused!.sha256)).toString()).to.equal('unused');
    });

    it('are beside the large texts of entries, which are in the database [A.nodes.bucket] [A.nodes.texts]', async () => {
      const [text, shared] = ['of an entry', 'of a file, too'].map((one) => ({
        text: one,
        sha256: createHash('sha256').update(one).digest('hex'),
      })) as [{ text: string; sha256: string }, { text: string; sha256: string }];
      await storage.blobs.put([Buffer.from(shared.text)]);
      await storage.log.append({ ...next, version: 2, beside: { texts: [text, shared] } });
      await store().stop();
      try {
        expect(await storage.texts.get([text.sha256, 'none', shared.sha256])).to.deep.equal([
          ...[text.text, undefined, shared.text],
        ]);
      } finally {
        await store().resume();
      }
      expect(await objects()).to.have.length(1);
      await grow(25);
      expect(await storage.blobs.sweep()).to.equal(0);
      for (const { sha256, text: whole } of [text, shared]) expect((await read(sha256)).toString()).to.equal(whole);
      await storage.blobs.put([Buffer.from(text.text)]);
      expect(await objects()).to.have.length(1);
    });

    it('that were stored in the database before are read from there [A.nodes.bucket]', async () => {
      await reopen(undefined);
      const { sha256 } = await storage.blobs.put([Buffer.from('before')]);
      await reopen(store().endpoint);
      expect((await read(sha256)).toString()).to.equal('before');
      await storage.blobs.put([Buffer.from('before')]);
      expect(await objects()).to.deep.equal([]);
    });

    it('are unavailable while the store is, and there again with it [A.nodes.bucket]', async () => {
      const { sha256 } = await storage.blobs.put([Buffer.from('here')]);
      await store().stop();
      try {
        for (const call of [() => read(sha256), () => storage.blobs.put([Buffer.from('later')])]) {
          const error = await thrownBy(call());
          expect(error.code).to.equal('unavailable');
          expect(error.details['retry_after']).to.equal(5);
        }
      } finally {
        await store().resume();
      }
      expect((await read(sha256)).toString()).to.equal('here');
      await storage.blobs.put([Buffer.from('later')]);
    });

    it('need a bucket that exists, which a check says [A.nodes.bucket]', async () => {
      const good = await S3Bucket.open(address(store().endpoint));
      await good.check();
      good.close();
      await store().stop();
      const bucket = await S3Bucket.open(address(store().endpoint));
      const error = await thrownBy(bucket.check());
      bucket.close();
      await store().resume();
      expect(error.code).to.equal('unavailable');
      expect(error.message).to.include('s3://plans/garden/files at http://127.0.0.1').and.include('ECONNREFUSED');
    });
  }

  const next = { project: 'q', after: emptyHead, id: 'evt_2', body: {} };

  describe('with the interface of S3 and conditions', () => {
    let server: ObjectServer;
    withBucketKeys(SwiftServer);
    before(async () => {
      server = await ObjectServer.start();
    });
    after(() => server.stop());
    afterEach(() => {
      server.fault = () => undefined;
      server.isConditional = true;
    });

    describeStored(() => server);

    it('are stored if the answer to the first attempt is lost, with conditions and without [A.nodes.bucket]', async () => {
      for (const isConditional of [true, false]) {
        server.isConditional = isConditional;
        let isFirst = true;
        server.fault = ({ method }) => {
          if (method !== 'PUT' || !isFirst) return undefined;
          isFirst = false;
          return { is: 'unanswered' };
        };
        const bytes = randomBytes(100);
        const { sha256 } = await storage.blobs.put([bytes]);
        expect((await read(sha256)).equals(bytes)).to.equal(true);
      }
    });

    it('are stored in a bucket that refuses conditions [A.nodes.bucket]', async () => {
      server.fault = ({ headers }) =>
        headers['if-none-match'] === undefined ? undefined : { is: 'status', status: 501, code: 'NotImplemented' };
      const { sha256 } = await storage.blobs.put([Buffer.from('plain')]);
      expect((await read(sha256)).toString()).to.equal('plain');
    });

    it('are sent and read again after 429, 500, 503 and torn responses [A.nodes.bucket]', async () => {
      const bytes = randomBytes(2_000_000);
      for (const status of [429, 500, 503]) {
        let left = 1;
        server.fault = () => (left-- > 0 ? { is: 'status', status, code: 'SlowDown' } : undefined);
        const { sha256 } = await storage.blobs.put([bytes, Buffer.from(String(status))]);
        left = 1;
        expect(await read(sha256)).to.have.length(bytes.length + 3);
      }
      const { sha256 } = await storage.blobs.put([bytes]);
      let left = 2;
      server.fault = () => (left-- > 0 ? { is: 'torn' } : undefined);
      expect((await read(sha256)).equals(bytes)).to.equal(true);
    });

    it('are never returned if they are damaged, shorter or lost [A.nodes.bucket]', async () => {
      const bytes = randomBytes(2_000_000);
      const { sha256 } = await storage.blobs.put([bytes]);
      const [path] = [...server.objects.keys()].filter((one) => one.includes(sha256));
      const damaged = Buffer.from(bytes);
      damaged[1_500_000]! ^= 1;
      server.objects.set(path!, damaged);
      const found: Uint8Array[] = [];
      const error = await thrownBy(
        (async () => {
          for await (const piece of storage.blobs.get(sha256)) found.push(piece);
        })(),
      );
      expect(error.message).to.include('damaged').and.include(sha256);
      // What came before is right.
      expect(Buffer.concat(found).equals(bytes.subarray(0, 1024 * 1024))).to.equal(true);
      expect((await read(sha256, { start: 0, end: 1000 })).equals(bytes.subarray(0, 1000))).to.equal(true);
      for (const other of [bytes.subarray(0, 1_900_000), bytes.subarray(0, 5), undefined]) {
        if (other === undefined) server.objects.delete(path!);
        else server.objects.set(path!, other);
        const lost = await thrownBy(read(sha256, { start: 1_100_000, end: 1_100_010 }));
        expect(lost.message).to.match(/damaged|no object/);
      }
      // Storing them again repairs them.
      await storage.blobs.put([bytes]);
      expect((await read(sha256)).equals(bytes)).to.equal(true);
    });

    it('are refused if they arrive damaged [A.nodes.bucket]', async () => {
      const bucket = await S3Bucket.open(address(server.endpoint));
      const sha256 = createHash('sha256').update('other').digest();
      expect((await thrownBy(bucket.put('x', { bytes: Buffer.from('some'), sha256 }))).code).to.equal('unavailable');
      bucket.close();
    });

    it('survive that they are stored again while they are swept [A.nodes.bucket]', async () => {
      const bytes = randomBytes(1000);
      const { sha256 } = await storage.blobs.put([bytes]);
      for (let round = 0; round < 10; round++) {
        await grow(25);
        const [swept] = await Promise.all([storage.blobs.sweep(), storage.blobs.put([bytes]), storage.blobs.sweep()]);
        expect(swept).to.be.below(2);
        expect((await read(sha256)).equals(bytes)).to.equal(true);
      }
      // Interrupted between the row and the object: the next sweep removes the object.
      await grow(25);
      server.fault = ({ method }) =>
        method === 'DELETE' ? { is: 'status', status: 403, code: 'AccessDenied' } : undefined;
      expect((await thrownBy(storage.blobs.sweep())).code).to.equal('unavailable');
      await storage.blobs.put([bytes]);
      server.fault = () => undefined;
      await storage.blobs.sweep();
      expect((await read(sha256)).equals(bytes)).to.equal(true);
      expect(await objects()).to.have.length(1);
      expect([...server.objects.keys()].filter((path) => path.includes(sha256))).to.have.length(1);
    });

    it('are reported as elsewhere by a node without the bucket, which stores them for itself [A.nodes.bucket]', async () => {
      const { sha256 } = await storage.blobs.put([Buffer.from('bucket')]);
      await reopen(undefined);
      const error = await thrownBy(read(sha256));
      expect([error.code, error.message.includes('PLANNER_BLOBS')]).to.deep.equal(['unavailable', true]);
      await storage.blobs.put([Buffer.from('bucket')]);
      expect((await read(sha256)).toString()).to.equal('bucket');
    });

    it('cannot be stored in a bucket that refuses, which a check says [A.nodes.bucket]', async () => {
      const refusals = {
        GET: [403, 'AccessDenied', 's3:GetObject'],
        PUT: [404, 'NoSuchBucket', 'Create the bucket'],
        DELETE: [403, 'AccessDenied', 's3:DeleteObject'],
        HEAD: [403, 'AccessDenied', 's3:ListBucket'],
      } as const;
      for (const [refused, [status, code, remedy]] of Object.entries(refusals)) {
        server.fault = ({ method }) => (method === refused ? { is: 'status', status, code } : undefined);
        const bucket = await S3Bucket.open(address(server.endpoint));
        const error = await thrownBy(bucket.check());
        bucket.close();
        expect([error.code, error.message.includes(remedy)], error.message).to.deep.equal(['conflict', true]);
      }
    });
  });

  const reason = whyNoSwift();
  if (reason !== undefined) it(`with OpenStack Swift (skipped: ${reason})`);
  else
    describe('with OpenStack Swift', function () {
      this.timeout(150_000);
      let swift: SwiftServer;
      withBucketKeys(SwiftServer);
      before(async () => {
        swift = await SwiftServer.start();
        const { endpoint } = swift;
        const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
        await client.send(new CreateBucketCommand({ Bucket: 'plans' }));
        client.destroy();
      });
      after(() => swift.remove());

      describeStored(() => swift);

      it('cannot be stored in a bucket that does not exist, or with other keys [A.nodes.bucket]', async () => {
        const wrong = await S3Bucket.open(address(swift.endpoint, 'other'));
        const error = await thrownBy(wrong.check());
        expect([error.code, error.message.includes('NoSuchBucket')]).to.deep.equal(['conflict', true]);
        wrong.close();
        process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
        const refused = await S3Bucket.open(address(swift.endpoint));
        const denied = await thrownBy(refused.check());
        process.env['AWS_SECRET_ACCESS_KEY'] = SwiftServer.secretKey;
        refused.close();
        expect([denied.code, denied.message.includes('SignatureDoesNotMatch')]).to.deep.equal(['conflict', true]);
      });
    });
});

describe('A bucket that is closed', () => {
  it('is asked for nothing any more [A.nodes.ended]', async () => {
    const reports: string[] = [];
    const address = { bucket: 'plans', prefix: '', endpoint: 'http://127.0.0.1:1', region: 'eu-1', pathStyle: true };
    const bucket = await S3Bucket.open(address, { report: (message) => reports.push(message) });
    bucket.close();
    const content = { bytes: Buffer.from('a'), sha256: createHash('sha256').update('a').digest() };
    const asks = [
      bucket.put('a', content),
      bucket.get('a', { start: 0, end: 1 }),
      bucket.has('a', 1),
      bucket.remove('a'),
    ];
    for (const answer of await Promise.allSettled(asks))
      expect((answer as PromiseRejectedResult).reason).to.include({ code: 'unavailable' });
    // A request that fails is reported.
    expect(reports).to.deep.equal([]);
  });
});

describe('The URL of a bucket', () => {
  it('names a bucket, and what its store needs [A.nodes.bucket]', () => {
    const parse = (text: string, endpoint?: string): unknown => parseBucketUrl(text, endpoint, 'PLANNER_BLOBS');
    expect(parse('s3://plans')).to.deep.equal({
      ...{ bucket: 'plans', prefix: '', endpoint: undefined, region: undefined, pathStyle: false },
    });
    expect(parse('s3://plans/a/b/?region=eu-1&endpoint=http://minio:9000&path-style=off')).to.deep.equal({
      ...{ bucket: 'plans', prefix: 'a/b/', endpoint: 'http://minio:9000', region: 'eu-1', pathStyle: false },
    });
    expect(parse('s3://plans', 'https://s3.example.org')).to.include({
      ...{ endpoint: 'https://s3.example.org', pathStyle: true },
    });
    for (const wrong of [
      ...['plans', 'https://plans', 's3://', 's3://a', 's3://plans/a//b', 's3://plans/../b', 's3://plans?acl=public'],
      ...['s3://plans?path-style=yes', 's3://plans?endpoint=minio:9000', 's3://key:word@plans', 's3://plans/ä'],
    ]) {
      const error = ((): PlannerError => {
        try {
          parse(wrong);
        } catch (thrown) {
          return thrown as PlannerError;
        }
        return expect.fail(wrong);
      })();
      expect([error.code, error.field]).to.deep.equal(['invalid_argument', 'PLANNER_BLOBS']);
      expect(error.message).not.to.include('word@');
    }
  });
});
