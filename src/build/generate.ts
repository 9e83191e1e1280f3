import type { ProgramDeps } from '../cli/call/program-deps.ts';
import { program } from '../cli/program.ts';
import { variables } from '../base/config.ts';
import { exportFormat, revisionsName, sections } from '../domain/exchange/export-format.ts';
import { declared as collections } from '../domain/records/record-collections.ts';
import { errorCodes, errorMeanings } from '../base/errors.ts';
import { textOf, writeFiles } from '../reference/generated-files.ts';
import type { GeneratedFile } from '../reference/generated-files.ts';
import { priorityWords, statusWords } from '../domain/records/status-synonyms.ts';
import { statusOf } from '../http/status.ts';
import { limits } from '../base/limits.ts';
import { toolList } from '../mcp/tool-list.ts';
import { catalogue } from '../operations/catalogue.ts';
import { takesProject } from '../operations/declaration/planner-operation.ts';
import { routesOf } from '../operations/declaration/route-binding.ts';
import { commandReference } from '../reference/commands.ts';
import { hasContents, kinds, listOfPages, pagesWithContents } from '../reference/documents.ts';
import { limitReference } from '../reference/limits.ts';
import { code, contentsOf, table, withSections } from '../reference/markdown.ts';
import { recordName, recordReference } from '../reference/records.ts';
import { openApi } from '../rest/openapi.ts';
import { describedPaths, describedRoutes } from '../rest/service-paths.ts';
import { version } from '../base/version.ts';
import { compiledTypes } from '../schema/compiled-types.ts';
import { component } from '../schema/component.ts';
import { interfacePage } from '../schema/interface-page.ts';
import type { Shown } from '../schema/interface-page.ts';
import { toolSchema } from '../schema/inline.ts';
import { pageClient, pageTypes } from '../schema/page-client.ts';
import type { ClientRoute, OpenApiDocument } from '../schema/page-client.ts';
import { definitions, referenced } from '../schema/schemas.ts';
import { shownRecords } from '../schema/shown-records.ts';

const command = await program({ version } as ProgramDeps);

/** The OpenAPI document, as the service serves it. */
const restDescription = openApi({ catalogue, version, component });

/** The sections of documents that are generated; the rest of these documents is written by hand. */
const generatedSections: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/README.md': Object.fromEntries(kinds.map((kind) => [kind, () => listOfPages(kind)])),
  'docs/reference/commands.md': { commands: () => commandReference(command) },
  'docs/reference/configuration.md': {
    variables: () => table(['Variable', 'Meaning'], Object.entries(variables).map(withCode)),
  },
  'docs/reference/limits.md': { limits: () => limitReference(limits, textOf('src/base/limits.ts')) },
  'docs/reference/file-format.md': { records: () => recordReference(collections) },
  'docs/reference/export-format.md': { lists: exportLists },
  'docs/reference/import.md': {
    statuses: () => synonyms('Statuses', statusWords),
    priorities: () => synonyms('Priorities', priorityWords),
  },
  'schemas/README.md': {
    errors: () =>
      table(
        ['code', 'HTTP', 'when'],
        errorCodes.map((one) => [code(one), String(statusOf[one]), errorMeanings[one]]),
      ),
  },
};

const withCode = ([name, meaning]: readonly [string, string]): [string, string] => [code(name), meaning];

function exportLists(): string {
  const rows = sections.map(({ name, collection }) => [code(name), code(recordName(collection))]);
  const project = ['project', 'canvas'].map((name) => [code(name), code(recordName(name))]);
  return table(
    ['Member', 'Contains'],
    [[code('format'), code(exportFormat)], ...project, ...rows, [code(revisionsName), 'the history']],
  );
}

/** The terms of other tools for each value. */
function synonyms(head: string, words: ReadonlyMap<string, string>): string {
  const groups = Map.groupBy(words, ([, value]) => value);
  const become = (value: string): string =>
    value === 'cancelled' ? '`done` with the tag `cancelled`, in the lane `auto`' : code(value);
  return table(
    [head, 'become'],
    [...groups].map(([value, entries]) => [entries.map(([word]) => word).join(', '), become(value)]),
  );
}

const generatedFiles: readonly GeneratedFile[] = [
  { path: 'src/schema/types.ts', content: types },
  { path: 'src/domain/records/shown.ts', content: () => viewBanner + shownRecords(collections) },
  { path: 'src/cli/terminal/tools.ts', content: toolsOfCommandLine },
  { path: 'schemas/generated/tools.json', content: () => JSON.stringify({ tools: toolList(catalogue, toolSchema) }) },
  { path: 'schemas/generated/openapi.json', content: () => JSON.stringify(restDescription) },
  { path: 'src/web/rest/types.ts', content: () => pageTypes(restDescription as unknown as OpenApiDocument) },
  {
    path: 'src/web/rest/operations.ts',
    content: () => pageClient(restDescription as unknown as OpenApiDocument, clientRoutes()),
  },
  {
    path: 'schemas/generated/INTERFACE.md',
    content: () => interfacePage({ tools: shownTools(), routes: shownRoutes() }),
  },
  ...[...new Set([...Object.keys(generatedSections), ...pagesWithContents()])].map((path) => ({
    path,
    content: () => documentWithSections(path),
  })),
];

function documentWithSections(path: string): string {
  const text = textOf(path);
  const made = Object.fromEntries(Object.entries(generatedSections[path] ?? {}).map(([name, make]) => [name, make()]));
  if (!hasContents(text)) return withSections(text, made);
  const withHeadings = withSections(text, { ...made, contents: '' });
  return withSections(text, { ...made, contents: contentsOf(withHeadings) });
}

/** The data about tools that `planner call` needs: loading the catalogue would take longer than the call. */
function toolsOfCommandLine(): string {
  const tools = catalogue
    .filter(({ mcp }) => mcp !== undefined)
    .map((operation) => [operation.name, { summary: operation.summary, takesProject: takesProject(operation) }]);
  return `/** Made from the catalogue of operations by \`npm run generate\`. Do not edit: edit the operations. */
export const tools: Readonly<Record<string, { readonly summary: string; readonly takesProject: boolean }>> = ${JSON.stringify(Object.fromEntries(tools))};
`;
}

function shownTools(): Shown[] {
  return toolList(catalogue, toolSchema).map(({ name, description }) => ({ name, text: description }));
}

function shownRoutes(): Shown[] {
  const declared = routesOf(catalogue).map(({ path, method, operation: { summary: text } }) => ({
    path,
    method,
    text,
  }));
  const ofService = describedPaths.map(([method, path, { summary }]) => ({ path, method, text: summary }));
  return [...declared, ...ofService]
    .sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1))
    .map(({ method, path, text }) => ({ name: `${method} ${path}`, text }));
}

/** The routes for the page: the catalogue's and the service's own. */
function clientRoutes(): ClientRoute[] {
  const declared = routesOf(catalogue).map((route) => ({
    name: route.name,
    method: route.method,
    template: route.template,
    members: route.members(component(route.operation.input)),
  }));
  return [...declared, ...describedRoutes];
}

const banner = '/** Made from `schemas/` by `npm run generate`. Do not edit: edit the schemas. */\n';

const viewBanner =
  '/** Made from `schemas/` and `record-collections.ts` by `npm run generate`. Do not edit: edit these. */\n';

/** One TypeScript type for each definition. */
async function types(): Promise<string> {
  const all = Object.fromEntries([...definitions].map(([name, { schema }]) => [name, schema]));
  return banner + (await compiledTypes(all, referenced)) + toolTypes();
}

/** Input and result types of each tool, for typed clients. */
function toolTypes(): string {
  const named = new Map(catalogue.map((operation) => [operation.name, operation]));
  const lines = toolList(catalogue, toolSchema).map(({ name }) => {
    const { input, output } = named.get(name)!;
    return `  readonly ${name}: { readonly input: ${input}; readonly answer: ${output ?? 'Record<string, never>'} };`;
  });
  return `/** What each tool takes and answers, by its name. */\nexport interface ToolTypes {\n${lines.join('\n')}\n}\n`;
}

process.exitCode = await writeFiles(generatedFiles);
