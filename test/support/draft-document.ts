import type { Draft, Fields } from '../../src/domain/exchange/draft.ts';

/** A draft as input document of an import. */
export function documentOf({ project, canvas, lists }: Draft): Fields {
  return { format: 'planner-export-v1', project, canvas, ...Object.fromEntries(lists) };
}
