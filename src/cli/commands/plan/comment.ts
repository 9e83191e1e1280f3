import type { Command } from 'commander';
import { addPlanCommand, textOf } from '../../call/command-line.ts';
import { findCommented } from '../../records/commented.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { commentLines } from '../../records/show-comments.ts';
import type { ShownComment } from '../../records/show-comments.ts';

/** `comment`: comments on a record, or lists its comments. */
export function addCommentCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'comment <record> [text]',
      isChange: true,
      description: 'comment on a task, document, note or artifact; without a text, list its comments',
      examples: [
        'comment "Take payments" "Which currencies?"',
        'comment 9q3f - < review.md',
        'comment "Decision 7" --all',
      ],
      options: (command) => command.option('--all', 'list resolved comments, too'),
    },
    async ([record, given], { all = false }: { readonly all?: boolean }, out, target) => {
      const { name, on } = await findCommented(target, record);
      const body = await textOf(deps, given);
      if (body !== undefined) {
        out.print(await target.planner.call('add_comment', { ...on, body }), `Commented on ${name}.`);
        return;
      }
      const result = await target.planner.call('list_comments', { ...on, include_resolved: all });
      const comments = result['comments'] as readonly ShownComment[];
      const none = all ? 'No comments.' : 'No open comments; --all lists resolved ones, too.';
      out.print(result, comments.length === 0 ? none : commentLines(comments));
    },
  );
}
