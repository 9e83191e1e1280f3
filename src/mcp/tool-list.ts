import { textArguments } from '../operations/pipeline/agent-texts.ts';
import type { AnyOperation, McpOptions } from '../operations/declaration/operation.ts';

export interface OutputSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** A tool in the form of `tools/list`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Self-contained, of type object. */
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  /** The members of a result that is no error. */
  readonly outputSchema?: OutputSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

/** The self-contained schema of an input definition; of one that changes a resource, where null clears a member, if `isChange`. */
export type ToolSchemaOf = (definition: string, isChange?: boolean) => Readonly<Record<string, unknown>>;

/** The tools of a catalogue, in order. */
export function toolList(catalogue: readonly AnyOperation[], schemaOf: ToolSchemaOf): readonly Tool[] {
  return catalogue.flatMap((operation) =>
    operation.mcp === undefined ? [] : [toolOf(operation, operation.mcp, schemaOf)],
  );
}

function toolOf(operation: AnyOperation, mcp: McpOptions, schemaOf: ToolSchemaOf): Tool {
  const { name, effect, rest } = operation;
  const { $schema: _, $id: __, title: ___, ...schema } = schemaOf(operation.input, rest?.method === 'PATCH');
  if (schema['type'] !== 'object') throw new Error(`The input of ${name} is not of type object.`);
  const reads = effect === 'read';
  return {
    name,
    description: mcp.description,
    inputSchema: {
      ...schema,
      properties: { ...(schema['properties'] as object), ...textArguments(operation) },
      type: 'object',
    },
    annotations: {
      title: mcp.title,
      readOnlyHint: reads,
      destructiveHint: mcp.destructive ?? false,
      idempotentHint: mcp.idempotent ?? reads,
      openWorldHint: false,
    },
  };
}

/**
 * Adds to tools the schemas of their outputs, which name the members of a result and their types. Nested members are
 * omitted: the whole schemas are three times the listing. Clients of revisions with sessions validate errors by them,
 * too, so they do not get them.
 */
export function withOutputs(
  tools: readonly Tool[],
  catalogue: readonly AnyOperation[],
  schemaOf: (definition: string) => Readonly<Record<string, unknown>>,
): readonly Tool[] {
  const operations = new Map(catalogue.map((operation) => [operation.name, operation]));
  return tools.map((tool) => {
    const { output, effect } = operations.get(tool.name)!;
    return output === undefined ? tool : { ...tool, outputSchema: outputOf(schemaOf(output), effect !== 'read') };
  });
}

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function outputOf({ properties = {}, required }: Readonly<Record<string, unknown>>, isChange: boolean): OutputSchema {
  const members = Object.entries(properties as Properties).map(([name, { type }]) => [
    name,
    type === undefined ? {} : { type },
  ]);
  const has = required === undefined ? {} : { required };
  // The response to a retry whose first result is no longer stored.
  const alternatives = isChange && required !== undefined ? { anyOf: [has, { required: ['repeated'] }] } : has;
  return { type: 'object', properties: Object.fromEntries(members) as object, ...alternatives };
}
