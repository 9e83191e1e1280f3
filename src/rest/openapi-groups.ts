/** What the routes are grouped by, in the order of the specification: a segment of their paths, the title, what it is about. */
const groups: readonly (readonly [segment: string, name: string, description: string])[] = [
  ['projects', 'Projects', 'Each holds a canvas of tasks and documents joined by labelled edges.'],
  ['canvas', 'Canvas', 'Where tasks and documents stand, and how they are joined.'],
  ['goals', 'Goals', 'What tasks are for: worked in cycles and completed on evidence.'],
  ['tasks', 'Tasks', 'Units of work, one cycle each.'],
  ['next-task', 'Tasks', ''],
  ['task-graph', 'Tasks', ''],
  ['documents', 'Documents', 'Markdown pages, linked to tasks and to each other.'],
  ['folders', 'Folders', 'Where documents lie.'],
  ['revisions', 'Revisions', 'What was changed, by whom, and how it was before.'],
  ['notes', 'Notes', 'Free-form Markdown.'],
  ['tags', 'Tags', 'What tasks are marked with.'],
  ['edges', 'Edges', 'Links between tasks and documents; some order work.'],
  ['files', 'Files', 'Uploaded bytes.'],
  ['artifacts', 'Artifacts', 'What agents deliver: Markdown or HTML.'],
  ['prototypes', 'Prototypes', 'Flows of HTML screens.'],
  ['shares', 'Sharing', 'Links that hand one resource to somebody without a credential.'],
  ['share', 'Sharing', ''],
  ['participant-links', 'Participants', 'Guests who see a plan and submit to it.'],
  ['participate', 'Participants', ''],
  ['submissions', 'Participants', ''],
  ['sync-pull', 'Participants', ''],
  ['comments', 'Comments', 'On documents, tasks, notes, submissions and files.'],
  ['artifact-comments', 'Comments', ''],
  ['agent-runs', 'Agent runs', 'Sessions of agents with the progress that they report.'],
  ['views', 'Views', 'Saved views of a project.'],
  ['search', 'Search', 'Finding by title or label.'],
  ['keys', 'Keys', 'Credentials of programs and agents.'],
  ['problems', 'Service', 'The service itself: state, checks, description.'],
];

const serviceGroup = 'Service';
const bySegment = new Map(groups.map(([segment, name]) => [segment, name]));

/** The group of a route: that of the last segment of its path that has one. */
export function groupOf(path: string): string {
  const segments = path.split('/').filter((segment) => bySegment.has(segment));
  const own = segments.at(-1);
  return own === undefined ? serviceGroup : bySegment.get(own)!;
}

/** The groups as the description lists them: those of `used`. */
export function groupTags(
  used: ReadonlySet<string>,
): readonly { readonly name: string; readonly description: string }[] {
  return groups
    .filter(([, name, description]) => description !== '' && used.has(name))
    .map(([, name, description]) => ({ name, description }));
}
