import type { AnyOperation } from '../operations/declaration/operation.ts';

/** A tool as `tools/list` shows it. */
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

/** The tools in the order of the specification's groups, in which they are always listed. */
export const toolOrder: readonly string[] = [
  // Projects
  ...[
    'list_projects',
    'get_project',
    'create_project',
    'update_project',
    'search',
    'list_views',
    'scaffold_project_from_plan',
  ],
  // Goals
  ...[
    'create_goal',
    'get_goal',
    'list_goals',
    'update_goal',
    'invoke_goal',
    'set_current_goal',
    'pause_goal',
    'resume_goal',
  ],
  ...['complete_goal'],
  // Tasks
  ...['get_next_task', 'claim_task', 'create_task', 'update_task', 'get_task', 'list_tasks', 'get_task_graph'],
  // Documents
  ...['create_document', 'update_document', 'get_document', 'list_documents'],
  ...['create_folder', 'update_folder', 'delete_folder', 'move_documents'],
  // Revisions
  ...['list_revisions', 'get_revision'],
  // Notes
  ...['create_note', 'update_note', 'get_note', 'list_notes'],
  // Tags
  'list_tags',
  // Edges
  ...['create_edge', 'list_edges', 'delete_edge'],
  // Files and artifacts
  ...['attach_file', 'create_artifact', 'get_artifact', 'update_artifact', 'list_artifacts'],
  // Prototypes
  ...['create_prototype', 'get_prototype', 'list_prototypes', 'update_prototype', 'move_screen', 'copy_screen'],
  // Sharing
  'create_share_link',
  // Comments
  ...['list_comments', 'add_comment', 'resolve_comment', 'list_artifact_comments', 'add_artifact_comment'],
  // Agent runs
  ...['start_agent_run', 'record_agent_progress', 'complete_agent_run'],
  // Collaboration
  ...['sync_pull', 'list_submissions', 'triage_submission'],
];

/**
 * The tools of a catalogue in their fixed order. `schemaOf` gives an input definition as a self-contained schema.
 * Throws for an operation that claims to be a tool and is none of the specification's.
 */
export function toolList(
  catalogue: readonly AnyOperation[],
  schemaOf: (definition: string) => Readonly<Record<string, unknown>>,
): readonly Tool[] {
  const tools = new Map(
    catalogue.flatMap((operation) =>
      operation.mcp === undefined ? [] : [[operation.name, toolOf(operation, schemaOf)]],
    ),
  );
  for (const name of tools.keys()) {
    if (!toolOrder.includes(name))
      throw new Error(`${name} is not a tool of the specification: it has no place in the list.`);
  }
  return toolOrder.flatMap((name) => tools.get(name) ?? []);
}

function toolOf(operation: AnyOperation, schemaOf: (definition: string) => Readonly<Record<string, unknown>>): Tool {
  const { name, access, mcp } = operation;
  const { $schema: _, $id: __, title: ___, ...schema } = schemaOf(operation.input);
  if (schema['type'] !== 'object') throw new Error(`The input of ${name} is not of type object.`);
  const reads = access === 'read';
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
