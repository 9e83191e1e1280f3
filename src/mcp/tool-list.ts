import type { AnyOperation } from '../operations/declaration/operation.ts';

/** A tool in the form of `tools/list`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Self-contained, of type object. */
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

/** The tools of a catalogue, in order. `schemaOf` returns the self-contained schema of an input definition. */
export function toolList(
  catalogue: readonly AnyOperation[],
  schemaOf: (definition: string) => Readonly<Record<string, unknown>>,
): readonly Tool[] {
  return catalogue.filter(({ mcp }) => mcp !== undefined).map((operation) => toolOf(operation, schemaOf));
}

function toolOf(operation: AnyOperation, schemaOf: (definition: string) => Readonly<Record<string, unknown>>): Tool {
  const { name, effect, mcp } = operation;
  const { $schema: _, $id: __, title: ___, ...schema } = schemaOf(operation.input);
  if (schema['type'] !== 'object') throw new Error(`The input of ${name} is not of type object.`);
  const reads = effect === 'read';
  return {
    name,
    description: mcp!.description,
    inputSchema: { ...schema, type: 'object' },
    annotations: {
      title: mcp!.title,
      readOnlyHint: reads,
      destructiveHint: mcp!.destructive ?? false,
      idempotentHint: mcp!.idempotent ?? reads,
      openWorldHint: false,
    },
  };
}
