import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

interface Report {
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

/** A file of the test tree that imports these targets, with `type ` as types. */
function file(...imports: readonly string[]): string {
  const lines = imports.map((target, i) =>
    target.startsWith('type ')
      ? `import type { X as X${i} } from '${target.slice(5)}';`
      : `import { X as X${i} } from '${target}';`,
  );
  return `${lines.join('\n')}\nexport class X {}\n`;
}

const json = (value: unknown): string => JSON.stringify(value);

/** A tree that follows the rules: every folder, each importing only permitted layers. */
const sound: Readonly<Record<string, string>> = {
  'package.json': json({
    type: 'module',
    dependencies: { express: '*', ajv: '*', yaml: '*', pg: '*', '@modelcontextprotocol/sdk': '*' },
  }),
  'tsconfig.json': json({ compilerOptions: { module: 'nodenext', allowImportingTsExtensions: true, noEmit: true } }),
  ...Object.fromEntries(
    ['express', 'ajv', 'yaml', 'pg', '@modelcontextprotocol/sdk', 'unlisted'].flatMap((name) => [
      [`node_modules/${name}/package.json`, json({ name, version: '1.0.0', type: 'module', exports: './index.js' })],
      [`node_modules/${name}/index.js`, 'export class X {}\n'],
    ]),
  ),
  'src/base/errors.ts': file(),
  'src/base/limits.ts': file(),
  'src/base/merge-text.ts': file(),
  'src/base/clock.ts': file(),
  'src/base/ids.ts': file('./clock.ts'),
  'src/base/config.ts': file('./errors.ts'),
  'src/schema/validator.ts': file('ajv', '../base/limits.ts', 'type ../store/index.ts'),
  'src/build/generate.ts': file('../operations/catalogue.ts'),
  'src/store/files/disk/disk.ts': file('node:fs'),
  'src/store/record/log.ts': file('type ./record.ts'),
  'src/store/record/record.ts': file('type ../../base/ids.ts'),
  'src/store/replica/table.ts': file('../record/record.ts'),
  'src/store/merge/merge.ts': file('../record/record.ts', '../../base/merge-text.ts'),
  'src/web/draft.ts': file('../base/merge-text.ts'),
  'src/store/files/codec/foreign-page.ts': file('yaml', '../../record/record.ts'),
  'src/store/files/journal/journal.ts': file('type ../../record/log.ts', '../disk/disk.ts'),
  'src/store/hosted/storage/snapshot-store.ts': file('type ../../record/log.ts'),
  'src/store/hosted/node/hosted-engine.ts': file('../storage/snapshot-store.ts', '../../commit/commit.ts'),
  'src/store/commit/commit.ts': file('../replica/table.ts'),
  'src/store/hosted/postgres/pg-log.ts': file('pg', '../storage/snapshot-store.ts', '../../record/record.ts'),
  'src/store/files/project/project.ts': file('../../replica/table.ts', '../disk/disk.ts'),
  'src/store/files/git/merge-files.ts': file('../codec/foreign-page.ts', '../../merge/merge.ts'),
  'src/store/files/checkpoint/checkpointer.ts': file('../journal/journal.ts', '../project/project.ts'),
  'src/store/files/edits/reconcile.ts': file('../../merge/merge.ts', '../project/project.ts'),
  'src/store/files/lock/lock.ts': file('../disk/disk.ts'),
  'src/store/files/root/open-root.ts': file('../lock/lock.ts', '../journal/journal.ts'),
  'src/store/files/projects/loader.ts': file('../recovery/recovery.ts', '../project/project.ts'),
  'src/store/files/upkeep/maintenance.ts': file('../projects/loader.ts', '../root/open-root.ts'),
  'src/store/files/recovery/recovery.ts': file('../checkpoint/checkpointer.ts', '../edits/reconcile.ts'),
  'src/store/store.ts': file(
    './files/upkeep/maintenance.ts',
    './record/log.ts',
    './files/git/merge-files.ts',
    './hosted/postgres/pg-log.ts',
  ),
  'src/store/index.ts': file('./record/record.ts', 'type ./store.ts'),
  'src/domain/records/collections.ts': file('../../store/index.ts'),
  'src/domain/text/html.ts': file('../../base/limits.ts'),
  'src/domain/graph/graph.ts': file('../records/collections.ts'),
  'src/domain/search/search.ts': file('../records/collections.ts'),
  'src/domain/people/keys.ts': file('../records/collections.ts'),
  'src/domain/exchange/export.ts': file('../records/collections.ts', '../text/html.ts', '../plan/projects.ts'),
  'src/domain/links/edges.ts': file('../graph/graph.ts', '../text/html.ts'),
  'src/domain/sharing/shares.ts': file('../links/edges.ts'),
  'src/domain/plan/projects.ts': file('../records/collections.ts', '../sharing/shares.ts'),
  'src/domain/plan/tasks.ts': file('../../store/index.ts', '../../base/errors.ts', '../graph/graph.ts'),
  'src/domain/content/documents.ts': file('../plan/projects.ts', '../links/edges.ts'),
  'src/domain/scaffold/scaffold.ts': file('../content/documents.ts', '../graph/graph.ts'),
  'src/domain/versions/restore.ts': file('../content/documents.ts', '../text/html.ts'),
  'src/domain/feed/events.ts': file('../plan/tasks.ts'),
  'src/domain/sample/sample-plan.ts': file('../exchange/export.ts'),
  'src/operations/declaration/operation.ts': file('type ../../store/index.ts'),
  'src/operations/access/sessions.ts': file('../declaration/operation.ts'),
  'src/operations/pipeline/dispatch.ts': file('../access/sessions.ts', '../declaration/operation.ts'),
  'src/exchange/backlog-md.ts': file('../store/files/codec/foreign-page.ts'),
  'src/operations/catalogue.ts': file('../domain/plan/tasks.ts', 'type ../store/index.ts', '../schema/validator.ts'),
  'src/http/send.ts': file('../base/errors.ts', 'type ../store/index.ts'),
  'src/rest/door.ts': file('../operations/catalogue.ts', '../http/send.ts', 'express'),
  'src/mcp/door.ts': file('../operations/catalogue.ts', '../http/send.ts', '@modelcontextprotocol/sdk'),
  'src/cli/service/serve.ts': file('../../operations/catalogue.ts', '../../base/config.ts', '../../store/index.ts'),
  'src/main.ts': file('./rest/door.ts', './mcp/door.ts', './cli/service/serve.ts', './store/store.ts'),
};

/** A file that breaks each rule, and the report of the check. */
const broken: Readonly<Record<string, readonly [content: string, violation: string]>> = {
  'src/store/up.ts': [file('type ../domain/plan/tasks.ts'), 'store-below-all to src/domain/plan/tasks.ts'],
  'src/domain/up.ts': [file('../operations/catalogue.ts'), 'domain-below-operations to src/operations/catalogue.ts'],
  'src/domain/page.ts': [file('express'), 'express-in-transports to node_modules/express/index.js'],
  'src/domain/check.ts': [file('ajv'), 'ajv-in-schema to node_modules/ajv/index.js'],
  'src/domain/files.ts': [file('node:fs/promises'), 'one-disk to fs/promises'],
  'src/domain/fetch.ts': [file('type node:http'), 'no-http-inside to http'],
  'src/domain/text.ts': [file('yaml'), 'formats-in-store to node_modules/yaml/index.js'],
  'src/store/hosted/node/gate.ts': [file('type pg'), 'pg-in-hosted to node_modules/pg/index.js'],
  'src/domain/settings.ts': [file('../base/config.ts'), 'config-for-starters to src/base/config.ts'],
  'src/domain/tried.ts': [file('../../test/support.ts'), 'src-stands-alone to test/support.ts'],
  'src/domain/strange.ts': [file('unlisted'), 'listed to node_modules/unlisted/index.js'],
  'src/domain/missing.ts': [file('./nowhere.ts'), 'there to ./nowhere.ts'],
  'src/domain/forgotten.ts': [file(), 'not-forgotten to src/domain/forgotten.ts'],
  'src/operations/up.ts': [file('type ../rest/door.ts'), 'operations-below-transports to src/rest/door.ts'],
  'src/operations/agents.ts': [
    file('@modelcontextprotocol/sdk'),
    'sdk-in-mcp to node_modules/@modelcontextprotocol/sdk/index.js',
  ],
  'src/rest/rule.ts': [file('../domain/plan/tasks.ts'), 'transports-hold-no-rule to src/domain/plan/tasks.ts'],
  'src/rest/store.ts': [file('../store/index.ts'), 'transports-see-types to src/store/index.ts'],
  'src/rest/deep.ts': [file('type ../store/store.ts'), 'store-by-its-index to src/store/store.ts'],
  'src/domain/yaml.ts': [
    file('../store/files/codec/foreign-page.ts'),
    'codec-for-exchange to src/store/files/codec/foreign-page.ts',
  ],
  'src/rest/other.ts': [file('type ../mcp/door.ts'), 'rest-alone to src/mcp/door.ts'],
  'src/mcp/other.ts': [file('../rest/door.ts'), 'mcp-alone to src/rest/door.ts'],
  'src/cli/other.ts': [file('../mcp/door.ts'), 'cli-alone to src/mcp/door.ts'],
  'src/web/service.ts': [file('../base/limits.ts'), 'web-alone to src/base/limits.ts'],
  'src/bridge/other.ts': [file('../rest/door.ts'), 'bridge-alone to src/rest/door.ts'],
  'src/client/up.ts': [file('../http/send.ts'), 'client-alone to src/http/send.ts'],
  'src/pages/other.ts': [file('../rest/door.ts'), 'pages-alone to src/rest/door.ts'],
  'src/remote/up.ts': [file('../operations/catalogue.ts'), 'remote-below-operations to src/operations/catalogue.ts'],
  'src/http/up.ts': [file('../rest/door.ts'), 'http-alone to src/rest/door.ts'],
  'src/cli/top.ts': [file('../main.ts'), 'programs-on-top to src/main.ts'],
  'src/schema/up.ts': [file('../domain/plan/tasks.ts'), 'beside-knows-no-layer to src/domain/plan/tasks.ts'],
  'src/schema/store.ts': [file('../store/index.ts'), 'beside-sees-types to src/store/index.ts'],
  'src/exchange/up.ts': [
    file('../operations/catalogue.ts'),
    'exchange-below-operations to src/operations/catalogue.ts',
  ],
  ...Object.fromEntries(
    [
      ['store/record', 'store/replica/table'],
      ['store/replica', 'store/files/disk/disk'],
      ['store/merge', 'store/replica/table'],
      ['store/commit', 'store/hosted/node/hosted-engine'],
      ['store/hosted/storage', 'store/hosted/node/hosted-engine'],
      ['store/hosted/node', 'store/hosted/postgres/pg-log'],
      ['store/hosted/postgres', 'store/files/disk/disk'],
      ['store/files/disk', 'store/record/record'],
      ['store/files/codec', 'store/files/disk/disk'],
      ['store/files/journal', 'store/files/project/project'],
      ['store/files/project', 'store/files/codec/foreign-page'],
      ['store/files/git', 'store/files/disk/disk'],
      ['store/files/checkpoint', 'store/files/edits/reconcile'],
      ['store/files/edits', 'store/files/journal/journal'],
      ['store/files/lock', 'store/files/root/open-root'],
      ['store/files/root', 'store/files/recovery/recovery'],
      ['store/files/recovery', 'store/files/projects/loader'],
      ['store/files/projects', 'store/files/upkeep/maintenance'],
      ['store/files/upkeep', 'store/files/git/merge-files'],
      ['domain/records', 'domain/plan/tasks'],
      ['domain/text', 'domain/records/collections'],
      ['domain/graph', 'domain/plan/tasks'],
      ['domain/search', 'domain/text/html'],
      ['domain/people', 'domain/plan/projects'],
      ['domain/links', 'domain/sharing/shares'],
      ['domain/sharing', 'domain/plan/tasks'],
      ['domain/plan', 'domain/content/documents'],
      ['domain/content', 'domain/versions/restore'],
      ['domain/scaffold', 'domain/versions/restore'],
      ['domain/versions', 'domain/feed/events'],
      ['domain/feed', 'domain/content/documents'],
      ['domain/exchange', 'domain/versions/restore'],
      ['domain/sample', 'domain/plan/tasks'],
      ['operations/declaration', 'operations/access/sessions'],
      ['operations/access', 'operations/pipeline/dispatch'],
      ['operations/pipeline', 'operations/catalogue'],
    ].map(([folder, target]) => {
      const up = '../'.repeat(folder!.split('/').length);
      const rule = `inside-${folder!.replaceAll('/', '-')} to src/${target}.ts`;
      return [`src/${folder}/up.ts`, [file(`type ${up}${target}.ts`), rule]] as const;
    }),
  ),
};

describe('The check of the layers [A.layers, A.one-disk]', function () {
  this.timeout(60_000);
  let tree: string;

  beforeEach(async () => {
    tree = await mkdtemp(join(tmpdir(), 'planner-layers-'));
  });
  afterEach(() => rm(tree, { recursive: true }));

  async function check(files: Readonly<Record<string, string>>): Promise<string[]> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const args = [program, '--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', 'src'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tree, maxBuffer: 1 << 26 });
    const { summary } = JSON.parse(stdout) as Report;
    return summary.violations.map(({ from, to, rule }) => `${from}: ${rule.name} to ${to}`).sort();
  }

  it('finds nothing in a sound tree', async () => {
    expect(await check(sound)).to.deep.equal([]);
  });

  it('finds each import that breaks a rule, types included', async () => {
    const files = Object.fromEntries(Object.entries(broken).map(([path, [content]]) => [path, content]));
    const expected = Object.entries(broken).map(([path, [, violation]]) => `${path}: ${violation}`);
    expect(await check({ ...sound, 'test/support.ts': file(), ...files })).to.deep.equal(expected.sort());
  });

  it('finds a cycle, also of types', async () => {
    const files = { 'src/domain/a.ts': file('./b.ts'), 'src/domain/b.ts': file('type ./a.ts') };
    expect(await check({ ...sound, ...files })).to.deep.equal(['src/domain/a.ts: no-circular to src/domain/b.ts']);
  });
});
