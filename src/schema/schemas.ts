import { schemaFiles } from './schema-files.ts';

/** A JSON Schema 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

interface SchemaFile extends Schema {
  readonly $id: string;
  readonly $defs: Readonly<Record<string, Schema>>;
}

/** A definition and its file, to which its `#/...` references are relative. */
export interface Definition {
  readonly file: string;
  readonly schema: Schema;
}

/** Every definition of `schemas/` by its name, which is unique over all files. */
export const definitions: ReadonlyMap<string, Definition> = collect();

function collect(): Map<string, Definition> {
  const found = new Map<string, Definition>();
  for (const file of schemaFiles as readonly SchemaFile[]) {
    for (const [key, schema] of Object.entries(file.$defs)) {
      const former = found.get(key);
      if (former !== undefined) throw new Error(`${key} is defined in ${former.file} and in ${file.$id}.`);
      found.set(key, { file: file.$id, schema });
    }
  }
  return found;
}

/** A definition by its name. Throws if it is missing, for instance if an operation names a missing schema. */
export function definition(name: string): Definition {
  const found = definitions.get(name);
  if (found === undefined) throw new Error(`There is no definition ${name} in schemas/.`);
  return found;
}

/** The members of an object's definition, in order. */
export function memberNames(name: string): readonly string[] {
  return Object.keys(definition(name).schema['properties'] as object);
}

/** The name of the definition that a `$ref` (`task.json#/$defs/Task`, `#/$defs/Task`) refers to. */
export function referenced(ref: string): string {
  const name = /^(?:[a-z]+\.json)?#\/\$defs\/([A-Za-z0-9]+)$/.exec(ref)?.[1];
  if (name === undefined) throw new Error(`${ref} is not a reference to a definition of schemas/.`);
  return name;
}
