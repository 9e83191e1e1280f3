import type { Command } from 'commander';
import type { SearchAnswer } from '../../../schema/types.ts';
import { addPlanCommand, numberOf, present } from '../../call/command-line.ts';
import type { ShownLine } from '../../terminal/style.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { isWholeId } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { shownIds } from '../../call/short-ids.ts';
import { indented } from '../../terminal/show-text.ts';

/** The kinds that are searched, in the order of the output, and the lists of the answer. */
const lists = {
  task: 'tasks',
  goal: 'goals',
  document: 'documents',
  note: 'notes',
  artifact: 'artifacts',
  prototype: 'prototypes',
  submission: 'submissions',
  comment: 'comments',
  run: 'runs',
} as const;
type Kind = keyof typeof lists;

/** A match: its name for commands, and its text. */
interface Hit {
  readonly kind: Kind;
  /** A comment is named by its target. */
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly excerpt: string;
}

/** A row of any of the lists. */
interface AnyHit {
  readonly id: string;
  readonly project_id: string;
  readonly label?: string;
  readonly title?: string;
  readonly target_id?: string;
  readonly excerpt?: string;
}

interface SearchOptions extends ProjectOption {
  readonly all?: boolean;
  readonly limit?: string;
}

/** `search`: finds records of all kinds by their titles and texts. */
export function addSearchCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'search <words...>',
      description: 'find records of every kind by the words in their titles and texts',
      examples: ['search payment', 'search "refund policy" --limit 3 --json'],
      options: (command) =>
        projectOption(command)
          .option('--all', 'in all projects')
          .option('--limit <number>', 'maximum number of each kind; default 10, at most 50'),
    },
    async (words, options: SearchOptions, out, target) => {
      const project_id = options.all === true ? undefined : (await chooseProject(target, options)).id;
      const limit = numberOf(options.limit, '--limit');
      const input = { query: words.join(' '), project_id, limit, types: Object.keys(lists), bodies: true };
      const answer = await target.planner.call('search', present(input));
      const hits = hitsOf(answer as unknown as SearchAnswer);
      const part = answer['incomplete'] === true ? ['Not everything was searched: the texts are too long.'] : [];
      out.print(answer, [...(hits.length === 0 ? ['Nothing found.'] : await hitLines(target, hits)), ...part]);
    },
  );
}

function hitsOf(answer: SearchAnswer): readonly Hit[] {
  return (Object.keys(lists) as Kind[]).flatMap((kind) =>
    ((answer[lists[kind]] ?? []) as readonly AnyHit[]).map((hit) => ({
      kind,
      id: hit.target_id ?? hit.id,
      project_id: hit.project_id,
      name: hit.label ?? hit.title ?? '',
      excerpt: hit.excerpt ?? '',
    })),
  );
}

async function hitLines(target: CliTarget, hits: readonly Hit[]): Promise<readonly ShownLine[]> {
  const shown = new Map<string, string>();
  for (const [project, those] of Map.groupBy(hits, ({ project_id }) => project_id)) {
    // Commands take a submission or a run by its whole id, and a comment may be on a file.
    const ids = those.map(({ id }) => id).filter((id) => isWholeId(id) && !/^(?:sub|run)_/.test(id));
    const short = await shownIds(target, project, [...new Set(ids)]);
    for (const id of ids) shown.set(id, short(id));
  }
  const shownOf = ({ id }: Hit): string => shown.get(id) ?? id;
  const width = Math.max(...hits.map((hit) => shownOf(hit).length));
  const kindWidth = Math.max(...hits.map(({ kind }) => kind.length));
  return hits.flatMap((hit): ShownLine[] => [
    `${shownOf(hit).padEnd(width)}  ${hit.kind.padEnd(kindWidth)}  ${hit.name}`,
    ...(hit.excerpt === '' || hit.excerpt === hit.name ? [] : [{ block: indented(hit.excerpt) }]),
  ]);
}
