/**
 * The layers, checked: imports go one way, types included (`tsPreCompilationDeps`), without cycles.
 *
 *   main → rest, mcp, cli → operations → domain → store
 *
 * `http` serves rest and mcp alike; `schema` and `base` belong to no layer and import none; only the programs that start the service
 * import `base/config.ts`. The programs in src/build/ generate, build and pack: like main.ts, they may see everything, and are in no build.
 * src/binary/ makes a file of the build and unpacks it.
 */

const transports = '^src/(rest|mcp|cli|bridge|http|web|pages|sign-in)/';
const beside = '^src/(schema|base)/';
/** What wires: `transports` is the part of main that a test can start too. */
const programs =
  '^src/(main\\.ts$|main/(start|git-merge|plan-diff|service|hosted-service|transports)\\.ts$|build/(generate|generate-schemas|build|build-page|manifest)\\.ts$|binary/(build|main)\\.ts$)';
/** Of the store: what other layers know of it. */
const storeIndex = '^src/store/index\\.ts$';

/** Nothing in `from` imports anything in `to`; the comment says what holds instead. */
function forbid(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

const order = [
  forbid('no-circular', 'A cycle can be read from neither end.', {}, { circular: true }),
  forbid(
    'programs-on-top',
    'Programs wire the rest; nothing imports them.',
    { path: '^src/', pathNot: '^src/(main\\.ts$|(main|build)/)' },
    { path: programs },
  ),
  forbid(
    'store-below-all',
    'The store knows nothing of tasks or HTTP.',
    { path: '^src/store/' },
    { path: ['^src/(domain|operations|schema)/', transports] },
  ),
  forbid(
    'domain-below-operations',
    'The rules know neither the catalogue nor a transport.',
    { path: '^src/domain/' },
    { path: ['^src/(operations|exchange)/', transports] },
  ),
  forbid(
    'exchange-below-operations',
    'Readers and writers of plans know neither the catalogue nor a transport.',
    { path: '^src/exchange/' },
    { path: ['^src/operations/', transports] },
  ),
  forbid(
    'remote-below-operations',
    'What asks other services knows neither the rules nor a transport.',
    { path: '^src/remote/' },
    { path: ['^src/(domain|operations)/', transports] },
  ),
  forbid(
    'sync-below-operations',
    'What brings two copies of a project together knows neither the catalogue nor a transport; the command line wires it.',
    { path: '^src/sync/' },
    { path: ['^src/(operations|remote|exchange)/', transports] },
  ),
  forbid(
    'sync-wired',
    'Rules and operations know one copy of a project.',
    { path: '^src/(domain|operations|store)/' },
    { path: '^src/sync/' },
  ),
  forbid(
    'background-below-operations',
    'What calls webhooks, and notes what happens without a call, knows neither the catalogue nor a transport.',
    { path: '^src/(webhooks|background)/' },
    { path: ['^src/operations/', transports] },
  ),
  forbid(
    'background-wired',
    'Rules and operations store webhooks, leases and problems; the program starts what watches them.',
    { path: '^src/(domain|operations|store)/' },
    { path: '^src/(webhooks|background)/' },
  ),
  forbid(
    'rendering-below-operations',
    'What renders texts in threads knows neither the catalogue nor a transport.',
    { path: '^src/rendering/' },
    { path: ['^src/operations/', transports] },
  ),
  forbid(
    'rendering-wired',
    'Rules and operations ask for renderings; the programs start the threads.',
    { path: '^src/(domain|operations|store)/' },
    { path: '^src/rendering/' },
  ),
  forbid(
    'operations-below-transports',
    'The catalogue knows no transport.',
    { path: '^src/operations/' },
    { path: transports },
  ),
  forbid(
    'transports-hold-no-rule',
    'Rules are reached through the catalogue.',
    { path: transports },
    { path: '^src/domain/' },
  ),
  forbid(
    'store-by-its-index',
    'Other layers know of the store what its index exports; programs wire what is loaded later, and plans of other tools are parsed as files are.',
    { path: '^src/', pathNot: ['^src/store/', programs] },
    {
      path: '^src/store/',
      pathNot: [storeIndex, '^src/store/files/codec/(conflict-markers|foreign-page)\\.ts$'],
    },
  ),
  forbid(
    'codec-for-exchange',
    'Files are read and written by the store; only plans of other tools are parsed elsewhere.',
    { path: '^src/', pathNot: ['^src/(store|exchange)/'] },
    { path: '^src/store/files/codec/' },
  ),
  forbid(
    'transports-see-types',
    'Transports see what the records of the store look like, not the store.',
    { path: transports, pathNot: ['^src/cli/'] },
    { path: '^src/store/', dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'rest-alone',
    'Transports do not know each other.',
    { path: '^src/rest/' },
    { path: '^src/(mcp|cli|web|pages)/' },
  ),
  forbid(
    'mcp-alone',
    'Transports do not know each other.',
    { path: '^src/mcp/' },
    { path: '^src/(rest|cli|web|pages)/' },
  ),
  forbid(
    'cli-alone',
    'Transports do not know each other.',
    { path: '^src/cli/' },
    { path: '^src/(rest|mcp|web|pages)/' },
  ),
  forbid(
    'pages-alone',
    'Transports do not know each other.',
    { path: '^src/pages/' },
    { path: '^src/(rest|mcp|cli|web)/' },
  ),
  forbid(
    'sign-in-alone',
    'Transports do not know each other.',
    { path: '^src/sign-in/' },
    { path: '^src/(rest|mcp|cli|web|pages)/' },
  ),
  forbid(
    'bridge-alone',
    'The bridge knows of the transports how mcp reads messages, and calls services like any client.',
    { path: '^src/bridge/' },
    { path: '^src/(rest|cli|web|pages|sign-in|operations)/' },
  ),
  forbid(
    'client-alone',
    'The programmatic client is what is installed elsewhere: it brings nothing of the service but its types.',
    { path: '^src/client/' },
    { path: '^src/', pathNot: '^src/(client/|base/(errors|clock|retry|ids|config)\\.ts$|schema/types\\.ts$)' },
  ),
  forbid(
    'web-alone',
    'The page runs in browsers: of the service it knows what the description of its REST interface says, and merges texts, reads days, and says what goals need as it does.',
    { path: '^src/web/' },
    {
      path: '^src/',
      pathNot: '^src/(web/|base/(merge-text|day-words|rank-of-age|goal-need|behind-text|task-words)\\.ts$)',
    },
  ),
  forbid(
    'http-alone',
    'What transports share knows none of them.',
    { path: '^src/http/' },
    { path: '^src/(rest|mcp|cli|web|pages|sign-in)/' },
  ),
  forbid(
    'beside-knows-no-layer',
    'Modules beside the layers import none of them.',
    { path: beside, pathNot: programs },
    { path: '^src/', pathNot: [beside, storeIndex] },
  ),
  forbid(
    'beside-sees-types',
    'Modules beside the layers import only types of the store.',
    { path: beside, pathNot: programs },
    { path: storeIndex, dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'errors-and-limits-alone',
    'They import nothing.',
    { path: '^src/base/(errors|limits|printable|merge-text)\\.ts$' },
    { path: '.' },
  ),
  forbid(
    'config-for-starters',
    'Settings are handed down by what starts the service.',
    { path: '^src/', pathNot: ['^src/(cli|client)/', programs] },
    { path: '^src/base/config\\.ts$' },
  ),
  forbid(
    'config-before-service',
    'Settings are read before there is anything to serve.',
    { path: '^src/base/config\\.ts$' },
    { path: ['^src/(domain|operations)/', transports] },
  ),
  forbid(
    'src-stands-alone',
    'The service knows nothing of its tests and examples.',
    { path: '^src/' },
    { path: '^(test|examples)/' },
  ),
];

const packages = [
  forbid(
    'one-disk',
    'Files are reached through the Disk.',
    {
      path: '^src/',
      pathNot: [
        '^src/store/files/disk/disk\\.ts$',
        '^src/(main|platform/(cache-directory|programs)|web/compress)\\.ts$',
        '^src/(binary|build)/',
      ],
    },
    { path: '^(node:)?fs(/promises)?$' },
  ),
  forbid(
    'no-http-inside',
    'Rules and engine know no HTTP.',
    { path: '^src/(store|domain|operations|schema)/' },
    { path: '^(node:)?https?2?$' },
  ),
  forbid(
    'sdk-in-mcp',
    'The MCP SDKs are known to src/mcp alone.',
    { path: '^src/', pathNot: '^src/mcp/' },
    { path: '^node_modules/@modelcontextprotocol/' },
  ),
  forbid(
    'express-in-transports',
    'express is known to rest, to the mount of mcp, and to main.',
    { path: '^src/', pathNot: '^src/((rest|mcp|http|pages|sign-in)/|main\\.ts$)' },
    { path: '^node_modules/(@types/)?express(-serve-static-core)?/' },
  ),
  forbid(
    'ajv-in-schema',
    'ajv is known to src/schema alone.',
    { path: '^src/', pathNot: '^src/schema/' },
    { path: '^node_modules/ajv(-formats)?/' },
  ),
  forbid(
    'formats-in-store',
    'How files are read and watched is the matter of the store.',
    { path: '^src/', pathNot: '^src/store/' },
    { path: '^node_modules/(gray-matter|yaml|chokidar|lowdb)/' },
  ),
  forbid(
    'pg-in-hosted',
    'The database is reached by the folder of the hosted store that is named after it.',
    { path: '^src/', pathNot: '^src/store/hosted/postgres/' },
    { path: '^node_modules/(@types/)?pg/' },
  ),
  forbid(
    'no-dev-dependency',
    'What src imports is installed with it; the page is built with what it imports, and types are generated here.',
    {
      path: '^src/',
      pathNot: [programs, '^src/build/trace-maps\\.ts$', '^src/web/', '^src/(schema/compiled-types\\.ts$|reference/)'],
    },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'listed',
    'Imported packages are listed in package.json.',
    {},
    { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  ),
  // The bench installs what it compares with into a folder of its own. The build makes the modules of icons.
  forbid(
    'there',
    'Imported modules exist.',
    { pathNot: '^test/bench/peers' },
    { couldNotResolve: true, pathNot: '^virtual:lucide/' },
  ),
  forbid(
    'not-forgotten',
    'A file that neither imports nor is imported does nothing.',
    { orphan: true, path: '^src/', pathNot: [programs, '\\.d\\.ts$'] },
    {},
  ),
];

/** Files of a layer that a room of it knows. */
const exceptions = {
  // What no file can hold must not be accepted anywhere, or it could never become a file.
  'store/hosted/node': ['^src/store/files/checkpoint/fits-file\\.ts$'],
};

/** The folders of each layer, and what they may import of it; the layer's own files are above them. */
const rooms = {
  'store/record': [],
  'store/replica': ['store/record'],
  'store/commit': ['store/replica', 'store/record'],
  'store/merge': ['store/record'],
  'store/transactions': ['store/commit', 'store/replica', 'store/record'],
  'store/hosted/storage': ['store/record'],
  'store/hosted/node': [
    ...['store/hosted/storage', 'store/transactions', 'store/commit', 'store/replica', 'store/record'],
  ],
  'store/hosted/postgres': ['store/hosted/node', 'store/hosted/storage', 'store/commit', 'store/record'],
  'store/files/disk': [],
  'store/files/life': ['store/record'],
  'store/files/codec': ['store/record'],
  'store/files/journal': ['store/files/disk', 'store/record'],
  'store/files/feed': ['store/files/journal', 'store/files/disk', 'store/replica', 'store/record'],
  'store/files/project': ['store/files/life', 'store/files/disk', 'store/commit', 'store/replica', 'store/record'],
  'store/files/git': ['store/files/codec', 'store/merge', 'store/record'],
  'store/files/checkpoint': [
    ...['store/files/journal', 'store/files/codec', 'store/files/disk', 'store/files/project', 'store/files/life'],
    ...['store/replica', 'store/record'],
  ],
  'store/files/edits': [
    ...['store/files/codec', 'store/files/disk', 'store/files/project', 'store/files/life'],
    ...['store/merge', 'store/replica', 'store/record'],
  ],
  'store/files/tree': [
    ...['store/files/edits', 'store/files/codec', 'store/files/disk', 'store/replica', 'store/record'],
  ],
  'store/files/lock': ['store/files/edits', 'store/files/disk'],
  'store/files/root': [
    ...['store/files/lock', 'store/files/checkpoint', 'store/files/journal', 'store/files/codec', 'store/files/disk'],
    ...['store/files/project', 'store/replica', 'store/record'],
  ],
  'store/files/recovery': [
    ...['store/files/checkpoint', 'store/files/edits', 'store/files/journal', 'store/files/codec', 'store/files/disk'],
    ...['store/files/project', 'store/files/life', 'store/replica', 'store/record'],
  ],
  'store/files/projects': [
    ...['store/files/recovery', 'store/files/root', 'store/files/lock'],
    ...['store/files/checkpoint', 'store/files/edits', 'store/files/journal', 'store/files/codec', 'store/files/disk'],
    ...['store/files/project', 'store/files/life', 'store/files/feed', 'store/commit', 'store/replica', 'store/record'],
  ],
  'store/files/upkeep': [
    ...['store/files/projects', 'store/files/recovery', 'store/files/root', 'store/files/lock'],
    ...['store/files/checkpoint', 'store/files/edits', 'store/files/journal', 'store/files/codec', 'store/files/disk'],
    ...['store/files/project', 'store/files/life', 'store/commit', 'store/replica', 'store/record'],
  ],
  'domain/records': [],
  'domain/text': [],
  'domain/graph': ['domain/records'],
  'domain/search': ['domain/records'],
  'domain/people': ['domain/records'],
  'domain/links': ['domain/graph', 'domain/records', 'domain/text'],
  'domain/sharing': ['domain/links', 'domain/records', 'domain/text'],
  'domain/plan': ['domain/sharing', 'domain/links', 'domain/graph', 'domain/records'],
  'domain/content': ['domain/plan', 'domain/sharing', 'domain/links', 'domain/records'],
  'domain/scaffold': ['domain/content', 'domain/plan', 'domain/links', 'domain/graph', 'domain/records'],
  'domain/versions': [
    ...['domain/content', 'domain/plan', 'domain/sharing', 'domain/links', 'domain/records', 'domain/text'],
  ],
  'domain/comparison': ['domain/versions', 'domain/graph', 'domain/records'],
  'domain/feed': ['domain/plan', 'domain/records'],
  'domain/exchange': ['domain/content', 'domain/plan', 'domain/links', 'domain/graph', 'domain/records', 'domain/text'],
  'domain/sample': ['domain/exchange'],
  'operations/declaration': [],
  'operations/access': ['operations/declaration'],
  'operations/pipeline': ['operations/access', 'operations/declaration'],
};

/** A room imports of its layer the rooms below it, what is named here, and no other. */
const inner = Object.entries(rooms).map(([room, below]) => {
  const [layer] = room.split('/');
  const pathNot = [room, ...below].map((folder) => `^src/${folder}/`);
  return forbid(
    `inside-${room.replaceAll('/', '-')}`,
    `src/${room} imports of src/${layer} only ${below.length === 0 ? 'itself' : `itself, ${below.join(', ')}`}.`,
    { path: `^src/${room}/` },
    { path: `^src/${layer}/`, pathNot: [...pathNot, ...(exceptions[room] ?? [])] },
  );
});

export default {
  forbidden: [...order, ...inner, ...packages],
  options: {
    tsPreCompilationDeps: true,
    // The workspaces import what the root lists, too.
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: '^(node_modules|dist)/' },
    exclude: { path: '^(dist|coverage|\\.bench)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
    skipAnalysisNotInRules: true,
  },
};
