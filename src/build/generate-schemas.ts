import { absoluteOf, textOf, writeFiles } from '../reference/generated-files.ts';
import { nodeDisk } from '../store/index.ts';

/** Imports, so that the build has the schemas in its chunks. */
function schemaFiles(): string {
  const names = nodeDisk
    .list(absoluteOf('schemas'))
    .filter(({ name }) => name.endsWith('.json'))
    .map(({ name }) => name.slice(0, -'.json'.length))
    .sort();
  const imports = names.map((name) => `import ${name} from '../../schemas/${name}.json' with { type: 'json' };`);
  return `/** Made from \`schemas/\` by \`npm run generate\`. Do not edit. */
${imports.join('\n')}

/** The files of \`schemas/\`, one per resource. */
export const schemaFiles: readonly object[] = [${names.join(', ')}];
`;
}

/** The lists of an import: one for each collection that declares a list, then the history. */
async function exchangeSchema(): Promise<string> {
  const path = 'schemas/exchange.json';
  const list = /(?: +"\w+": \{ "\$ref": "#\/\$defs\/ExportedRecords" \},?\n)+/;
  const text = textOf(path);
  if (!list.test(text)) throw new Error(`${path} has no lists of records.`);
  // Loaded now, because it loads the schemas, by the list that was written before.
  const { revisionsName, sections } = await import('../domain/exchange/export-format.ts');
  const members = [...sections.map(({ name }) => name), revisionsName];
  const lines = members.map((name) => `        "${name}": { "$ref": "#/$defs/ExportedRecords" }`);
  return text.replace(list, () => `${lines.join(',\n')}\n`);
}

process.exitCode = await writeFiles([
  { path: 'src/schema/schema-files.ts', content: schemaFiles },
  { path: 'schemas/exchange.json', content: exchangeSchema },
]);
