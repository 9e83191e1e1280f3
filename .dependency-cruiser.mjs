/**
 * The layers, checked: imports go one way, types included (`tsPreCompilationDeps`), without cycles.
 *
 *   main → rest, mcp, cli → operations → domain → store
 *
 * `http` serves rest and mcp alike; `schema`, `errors`, `limits`, `clock`, `ids`, `slices` and `printable` stand beside and know no layer; `config` is for what
 * starts the service. src/schema/generate.ts is a program of its own and, like main.ts, may see everything.
 */

const doors = '^src/(rest|mcp|cli|bridge|http|web|pages|sign-in)/';
const beside = '^src/(schema/|(errors|limits|clock|ids|slices|printable)\\.ts$)';
/** What wires: `doors` is the part of main that a test can start too. */
const programs = '^src/(main|start|git-merge|service|doors|schema/generate)\\.ts$';
/** Of the store: what its records, views and collections look like. */
const contracts = '^src/store/(record|view|collection)\\.ts$';

/** Nothing in `from` imports anything in `to`; the comment says what holds instead. */
function forbid(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

const order = [
  forbid('no-circular', 'A cycle can be read from neither end.', {}, { circular: true }),
  forbid(
    'programs-on-top',
    'Programs wire the rest; nothing imports them.',
    { path: '^src/', pathNot: '^src/(main|start|service|schema/generate)\\.ts$' },
    { path: programs },
  ),
  forbid(
    'store-below-all',
    'The store knows nothing of tasks or HTTP.',
    { path: '^src/store/' },
    { path: ['^src/(domain|operations|schema)/', doors] },
  ),
  forbid(
    'domain-below-operations',
    'The rules know neither the catalogue nor a door.',
    { path: '^src/domain/' },
    { path: ['^src/(operations|moving)/', doors] },
  ),
  forbid(
    'moving-below-operations',
    'Readers and writers of plans know neither the catalogue nor a door.',
    { path: '^src/moving/' },
    { path: ['^src/operations/', doors] },
  ),
  forbid(
    'remote-below-operations',
    'What asks other services knows neither the rules nor a door.',
    { path: '^src/remote/' },
    { path: ['^src/(domain|operations)/', doors] },
  ),
  forbid(
    'rendering-below-operations',
    'What renders texts in threads knows neither the catalogue nor a transport.',
    { path: '^src/rendering/' },
    { path: ['^src/operations/', doors] },
  ),
  forbid(
    'rendering-wired',
    'Rules and operations ask for renderings; the programs start the threads.',
    { path: '^src/(domain|operations|store)/' },
    { path: '^src/rendering/' },
  ),
  forbid('operations-below-doors', 'The catalogue knows no door.', { path: '^src/operations/' }, { path: doors }),
  forbid('doors-hold-no-rule', 'Rules are reached through the catalogue.', { path: doors }, { path: '^src/domain/' }),
  forbid(
    'doors-see-contracts',
    'Doors see what the records of the store look like, not the store.',
    { path: doors, pathNot: '^src/cli/' },
    { path: '^src/store/', pathNot: contracts },
  ),
  forbid('rest-alone', 'Doors do not know each other.', { path: '^src/rest/' }, { path: '^src/(mcp|cli|web|pages)/' }),
  forbid('mcp-alone', 'Doors do not know each other.', { path: '^src/mcp/' }, { path: '^src/(rest|cli|web|pages)/' }),
  forbid('cli-alone', 'Doors do not know each other.', { path: '^src/cli/' }, { path: '^src/(rest|mcp|web|pages)/' }),
  forbid('pages-alone', 'Doors do not know each other.', { path: '^src/pages/' }, { path: '^src/(rest|mcp|cli|web)/' }),
  forbid(
    'sign-in-alone',
    'Doors do not know each other.',
    { path: '^src/sign-in/' },
    { path: '^src/(rest|mcp|cli|web|pages)/' },
  ),
  forbid(
    'bridge-alone',
    'The bridge knows of the doors how mcp reads messages, and calls services like any client.',
    { path: '^src/bridge/' },
    { path: '^src/(rest|cli|web|pages|sign-in|operations)/' },
  ),
  forbid(
    'client-alone',
    'The programmatic client is what is installed elsewhere: it brings nothing of the service but its types.',
    { path: '^src/client/' },
    { path: '^src/', pathNot: '^src/(client/|(errors|clock|ids|config)\\.ts$|schema/types\\.ts$)' },
  ),
  forbid(
    'web-alone',
    'The page runs in browsers: of the service it knows what the description of its REST interface says.',
    { path: '^src/web/' },
    { path: '^src/', pathNot: '^src/web/' },
  ),
  forbid(
    'http-alone',
    'What doors share knows none of them.',
    { path: '^src/http/' },
    { path: '^src/(rest|mcp|cli|web|pages|sign-in)/' },
  ),
  forbid(
    'beside-knows-no-layer',
    'What stands beside the layers knows none of them.',
    { path: beside, pathNot: programs },
    { path: '^src/', pathNot: [beside, contracts] },
  ),
  forbid(
    'errors-and-limits-alone',
    'They import nothing.',
    { path: '^src/(errors|limits|printable)\\.ts$' },
    { path: '.' },
  ),
  forbid(
    'config-for-starters',
    'Settings are handed down by what starts the service.',
    { path: '^src/', pathNot: ['^src/(cli|client)/', programs] },
    { path: '^src/config\\.ts$' },
  ),
  forbid(
    'config-before-service',
    'Settings are read before there is anything to serve.',
    { path: '^src/config\\.ts$' },
    { path: ['^src/(domain|operations)/', doors] },
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
    { path: '^src/', pathNot: ['^src/store/disk\\.ts$', '^src/web/compress\\.ts$'] },
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
    'The MCP SDK is known to src/mcp alone.',
    { path: '^src/', pathNot: '^src/mcp/' },
    { path: '^node_modules/@modelcontextprotocol/' },
  ),
  forbid(
    'express-in-doors',
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
    'How files are read, merged and watched is the matter of the store.',
    { path: '^src/', pathNot: ['^src/store/', '^src/web/'] },
    { path: '^node_modules/(gray-matter|yaml|chokidar|lowdb|node-diff3)/' },
  ),
  forbid(
    'no-dev-dependency',
    'What src imports is installed with it; the page is built with what it imports, and types are generated here.',
    { path: '^src/', pathNot: [programs, '^src/web/', '^src/schema/compiled-types\\.ts$'] },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  ),
  forbid('listed', 'What is imported stands in package.json.', {}, { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }),
  // The bench installs what it compares with into a folder of its own.
  forbid('there', 'What is imported exists.', { pathNot: '^test/bench/peers' }, { couldNotResolve: true }),
  forbid(
    'not-forgotten',
    'A file that neither imports nor is imported does nothing.',
    { orphan: true, path: '^src/', pathNot: [programs, '\\.d\\.ts$'] },
    {},
  ),
];

export default {
  forbidden: [...order, ...packages],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: '^(node_modules|dist)/' },
    exclude: { path: '^(dist|coverage|\\.bench)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
    skipAnalysisNotInRules: true,
  },
};
