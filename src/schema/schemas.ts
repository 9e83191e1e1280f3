import common from '../../schemas/common.json' with { type: 'json' };
import error from '../../schemas/error.json' with { type: 'json' };
import problem from '../../schemas/problem.json' with { type: 'json' };
import project from '../../schemas/project.json' with { type: 'json' };
import canvas from '../../schemas/canvas.json' with { type: 'json' };
import task from '../../schemas/task.json' with { type: 'json' };
import tag from '../../schemas/tag.json' with { type: 'json' };
import edge from '../../schemas/edge.json' with { type: 'json' };
import document from '../../schemas/document.json' with { type: 'json' };
import folder from '../../schemas/folder.json' with { type: 'json' };
import revision from '../../schemas/revision.json' with { type: 'json' };
import goal from '../../schemas/goal.json' with { type: 'json' };
import graph from '../../schemas/graph.json' with { type: 'json' };
import scaffold from '../../schemas/scaffold.json' with { type: 'json' };
import note from '../../schemas/note.json' with { type: 'json' };
import artifact from '../../schemas/artifact.json' with { type: 'json' };
import prototype from '../../schemas/prototype.json' with { type: 'json' };
import files from '../../schemas/file.json' with { type: 'json' };
import comment from '../../schemas/comment.json' with { type: 'json' };
import view from '../../schemas/view.json' with { type: 'json' };
import submission from '../../schemas/submission.json' with { type: 'json' };
import run from '../../schemas/run.json' with { type: 'json' };
import search from '../../schemas/search.json' with { type: 'json' };
import exchange from '../../schemas/exchange.json' with { type: 'json' };
import share from '../../schemas/share.json' with { type: 'json' };
import keys from '../../schemas/key.json' with { type: 'json' };
import signin from '../../schemas/signin.json' with { type: 'json' };

/** A JSON Schema 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

interface SchemaFile extends Schema {
  readonly $id: string;
  readonly $defs: Readonly<Record<string, Schema>>;
}

/** The files of `schemas/`, one per resource. Imported, so that the build has them in its chunks. */
const all: readonly object[] = [
  common,
  error,
  problem,
  project,
  canvas,
  task,
  tag,
  edge,
  document,
  folder,
  revision,
  goal,
  graph,
  scaffold,
  note,
  artifact,
  prototype,
  files,
  comment,
  view,
  submission,
  run,
  search,
  exchange,
  share,
  keys,
  signin,
];

/** A definition and the file in which its `#/...` references are meant. */
export interface Definition {
  readonly file: string;
  readonly schema: Schema;
}

/** Every definition of `schemas/` by its name, which is unique over all files. */
export const definitions: ReadonlyMap<string, Definition> = collect();

function collect(): Map<string, Definition> {
  const found = new Map<string, Definition>();
  for (const file of all as readonly SchemaFile[]) {
    for (const [key, schema] of Object.entries(file.$defs)) {
      const former = found.get(key);
      if (former !== undefined) throw new Error(`${key} is defined in ${former.file} and in ${file.$id}.`);
      found.set(key, { file: file.$id, schema });
    }
  }
  return found;
}

/** A definition by its name. Throws for an unknown one: an operation names a schema that is not there. */
export function definition(name: string): Definition {
  const found = definitions.get(name);
  if (found === undefined) throw new Error(`There is no definition ${name} in schemas/.`);
  return found;
}

/** The members of an object's definition, in its order. */
export function memberNames(name: string): readonly string[] {
  return Object.keys(definition(name).schema['properties'] as object);
}

/** The name of the definition that a `$ref` (`task.json#/$defs/Task`, `#/$defs/Task`) points at. */
export function referenced(ref: string): string {
  const name = /^(?:[a-z]+\.json)?#\/\$defs\/([A-Za-z0-9]+)$/.exec(ref)?.[1];
  if (name === undefined) throw new Error(`${ref} is no reference to a definition of schemas/.`);
  return name;
}
