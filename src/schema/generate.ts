import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import ts from 'typescript';
import { toolList } from '../mcp/tool-list.ts';
import { catalogue } from '../operations/catalogue.ts';
import { openApi } from '../rest/openapi.ts';
import { describedPaths } from '../rest/service-paths.ts';
import { version } from '../service.ts';
import { nodeDisk } from '../store/disk.ts';
import { replaceFile } from '../store/replace-file.ts';
import { component } from './component.ts';
import { interfacePage } from './interface-page.ts';
import type { Shown } from './interface-page.ts';
import { toolSchema } from './inline.ts';
import { definitions, referenced } from './schemas.ts';

/** A file that is made from `schemas/` and the catalogue, and committed. */
interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly content: () => string | Promise<string>;
}

const generatedFiles: readonly GeneratedFile[] = [
  { path: 'src/schema/types.ts', content: types },
  { path: 'schemas/generated/tools.json', content: () => JSON.stringify({ tools: toolList(catalogue, toolSchema) }) },
  {
    path: 'schemas/generated/openapi.json',
    content: () => JSON.stringify(openApi({ catalogue, version, component })),
  },
  { path: 'src/web/api/operations.ts', content: webOperations },
  {
    path: 'schemas/generated/INTERFACE.md',
    content: () => interfacePage({ tools: shownTools(), routes: shownRoutes() }),
  },
];

function shownTools(): Shown[] {
  return toolList(catalogue, toolSchema).map(({ name, description }) => ({ name, text: description }));
}

function shownRoutes(): Shown[] {
  const declared = catalogue.flatMap(({ rest, summary }) =>
    rest === undefined ? [] : [{ path: rest.path, method: rest.method, text: summary }],
  );
  const ofService = describedPaths.map(([method, path, { summary }]) => ({ path, method, text: summary }));
  return [...declared, ...ofService]
    .sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1))
    .map(({ method, path, text }) => ({ name: `${method} ${path}`, text }));
}

const banner = '/** Made from `schemas/` by `npm run generate`. Do not edit: edit the schemas. */\n';

/** One TypeScript type for each definition. */
async function types(): Promise<string> {
  const all = Object.fromEntries([...definitions].map(([name, { schema }]) => [name, forTypes(schema) as JSONSchema]));
  const root: JSONSchema = { title: 'AllDefinitions', type: 'object', additionalProperties: false, definitions: all };
  const text = await compile(root, 'AllDefinitions', {
    bannerComment: '',
    unreachableDefinitions: true,
    additionalProperties: true,
    ignoreMinAndMaxItems: true,
    format: false,
  });
  return banner + readOnly(withoutNoise(text) + toolTypes());
}

/** What each tool takes and answers, for clients that are compiled. */
function toolTypes(): string {
  const named = new Map(catalogue.map((operation) => [operation.name, operation]));
  const lines = toolList(catalogue, toolSchema).map(({ name }) => {
    const { input, output } = named.get(name)!;
    return `  ${name}: { input: ${input}; answer: ${output ?? 'Record<string, never>'} };`;
  });
  return `/** What each tool takes and answers, by its name. */\nexport interface ToolTypes {\n${lines.join('\n')}\n}\n`;
}

/** What the page calls over REST: where each operation is, and the types of what it takes and answers. */
function webOperations(): string {
  const called = catalogue.flatMap((operation) =>
    operation.rest === undefined ? [] : [{ ...operation, rest: operation.rest }],
  );
  const routes = called.map(({ name, rest: { method, path, names, raw } }) => {
    const renamed = names === undefined ? '' : `, names: ${JSON.stringify(flipped(names))}`;
    return `  ${name}: { method: '${method}', path: '${path}'${renamed}${raw === undefined ? '' : ', raw: true'} },`;
  });
  const used = new Set(called.flatMap(({ input, output }) => (output === undefined ? [input] : [input, output])));
  const calls = called.map(
    ({ name, input, output, rest: { bare } }) => `  ${name}: { input: ${input}; answer: ${restAnswer(output, bare)} };`,
  );
  return `/** Made from the catalogue by \`npm run generate\`. Do not edit. */
import type { ${[...used].sort().join(', ')} } from '../../schema/types.ts';

/** Where each operation is served below /api/v1; \`names\` tells members of the input that are called otherwise there. */
export const routes = {
${routes.join('\n')}
} as const;

/** What each operation takes, and the body of its answer. */
export interface Calls {
${calls.map((line) => line.replace('  ', '  readonly ').replace('input:', 'readonly input:').replace('answer:', 'readonly answer:')).join('\n')}
}
`;
}

function flipped(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([wire, member]) => [member, wire]));
}

/** Over REST the resource stands bare, with what was told beside it as further members. */
function restAnswer(output: string | undefined, bare: string | undefined): string {
  if (output === undefined) return 'undefined';
  return bare === undefined ? output : `${output}['${bare}'] & Omit<${output}, '${bare}'>`;
}

/** The compiler says of every type that the made-up root refers to it, and of every list how long it may be. */
function withoutNoise(text: string): string {
  return text
    .replace(/export interface AllDefinitions \{\}\n/, '')
    .replace(
      /^ *\* This interface was referenced by `AllDefinitions`'s JSON-Schema\n *\* via the `definition` "\w+"\.\n/gm,
      '',
    )
    .replace(/^ *\* @(?:min|max)Items \d+\n/gm, '')
    .replace(/(?:^ *\*\s*\n)+(?= *\*\/)/gm, '')
    .replace(/^ *\/\*\*\n *\*\/\n/gm, '');
}

/** References are made local; what stands beside one becomes an annotation of it, so that the name of the type is kept. */
function forTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forTypes);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...beside } = value as Record<string, unknown>;
  const members = Object.fromEntries(Object.entries(beside).map(([key, member]) => [key, forTypes(member)]));
  if (typeof $ref !== 'string') return members;
  const reference = { $ref: `#/definitions/${referenced($ref)}` };
  return Object.keys(members).length === 0 ? reference : { ...members, allOf: [reference] };
}

/** Records and inputs are values: nobody changes them in place. */
function readOnly(text: string): string {
  const { factory, SyntaxKind } = ts;
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest, true);
  const { transformed } = ts.transform(source, [
    (context) => {
      const visit = (node: ts.Node): ts.Node => {
        const inner = ts.visitEachChild(node, visit, context);
        if (ts.isArrayTypeNode(inner)) return factory.createTypeOperatorNode(SyntaxKind.ReadonlyKeyword, inner);
        if (!ts.isPropertySignature(inner)) return inner;
        const { name, questionToken, type } = inner;
        return factory.updatePropertySignature(
          inner,
          [factory.createToken(SyntaxKind.ReadonlyKeyword)],
          name,
          questionToken,
          type,
        );
      };
      return (file) => ts.visitEachChild(file, visit, context);
    },
  ]);
  return ts.createPrinter().printFile(transformed[0]!);
}

/** Writes the generated files, or with `--check` says which of them are not as they would be made. */
async function main(check: boolean): Promise<number> {
  let stale = 0;
  for (const { path, content } of generatedFiles) {
    const absolute = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const made = Buffer.from(await format(await content(), { filepath: absolute, printWidth: 120, singleQuote: true }));
    const present = nodeDisk.readIfThere(absolute);
    if (present?.equals(made) === true) continue;
    stale++;
    console.log(check ? `${path} is not what the schemas say: run npm run generate.` : `${path} written.`);
    if (check) continue;
    nodeDisk.makeDirectory(dirname(absolute));
    replaceFile(nodeDisk, absolute, made);
  }
  return check && stale > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.includes('--check'));
