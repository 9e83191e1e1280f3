import type {
  ImportAnswer,
  ImportProjectInput,
  ImportReport,
  PlannerCollections,
  PlanTransaction,
} from '../domain/records/collections.ts';
import { draftOf, nameOfDraft } from '../domain/exchange/draft-of.ts';
import type { Draft, Fields } from '../domain/exchange/draft.ts';
import { importProject } from '../domain/exchange/import.ts';
import { withRanks } from '../domain/exchange/keep-order.ts';
import { mergeDraft, withDescriptionLeftOut } from '../domain/exchange/merge-draft.ts';
import { projectOf, showProject, summaryOf } from '../domain/plan/projects.ts';
import { bytesOfBase64 } from '../domain/text/base64.ts';
import { invalid, PlannerError } from '../base/errors.ts';
import type { UploadedPlan } from '../exchange/read-uploaded-plan.ts';
import { limits } from '../base/limits.ts';
import { atOnce, type Steps } from '../base/slices.ts';
import { authoriseNewProject } from './access/authorise.ts';
import type { Context, PrepareContext } from './declaration/operation.ts';
import type { CreateOrUseProject } from './declaration/planner-operation.ts';
import { Rehearsal } from './declaration/rehearsal.ts';
import { groups } from './groups.ts';
import { isLarge } from './pipeline/large-input.ts';

/** An import once its plan was read. */
type ReadImport = ImportProjectInput & UploadedPlan;

/** Passes a file's content to the store and returns its record in the store's form: by hash. */
export async function takeFile(
  file: Fields,
  path: string,
  bench: Pick<PrepareContext<PlannerCollections>, 'stage'>,
): Promise<Fields> {
  const { content_base64: content, ...record } = file;
  const member = `${path}.content_base64`;
  if (typeof content !== 'string') throw invalid(member, `${member} must be the file's content in base64.`);
  const bytes = bytesOfBase64(content, member);
  if (bytes.length > limits.uploadBytesMax) {
    const message = `${path} is over ${limits.uploadBytesMax} bytes.`;
    throw new PlannerError('payload_too_large', message, { field: member, bytes_max: limits.uploadBytesMax });
  }
  const staged = await bench.stage([bytes]);
  for (const name of ['sha256', 'size'] as const) {
    if (record[name] === undefined || record[name] === staged[name]) continue;
    throw invalid(`${path}.${name}`, `${path}.${name} does not match the content: the export was changed or damaged.`);
  }
  return { ...record, sha256: staged.sha256, size: staged.size };
}

/** The plan of a call: the file of a form, of any format, or the JSON of an export. */
async function planOf(
  input: ImportProjectInput,
  { upload, caller, signal }: Context,
  bench: PrepareContext<PlannerCollections>,
): Promise<UploadedPlan> {
  const { project_id: into, from, name, with_deleted: withDeleted = false, ...rest } = input;
  const { dry_run: _dry, keep_ids: _keep, ...document } = rest;
  const isMerged = into !== undefined;
  const take = (file: Fields, path: string): Promise<Fields> => takeFile(file, path, bench);
  // Loaded by the first import.
  const { ImportInProgress, notMerged, ownReport, readUploadedPlan } =
    await import('../exchange/read-uploaded-plan.ts');
  if (upload !== undefined) {
    const running = new ImportInProgress({ credential: caller.id, isAgent: caller.kind !== 'owner', signal });
    let read = 0;
    bench.atEnd(async () => {
      running.end();
      await bench.charge(read);
    });
    try {
      return await readUploadedPlan(upload, { from, name, withDeleted, isMerged }, take, running);
    } finally {
      read = running.bytes;
    }
  }
  if (isMerged) throw notMerged();
  const draft = draftOf(document);
  const files: Fields[] = [];
  for (const [at, file] of (draft.lists.get('files') ?? []).entries()) files.push(await take(file, `files[${at}]`));
  const whole: Draft = { ...draft, lists: new Map([...draft.lists, ['files', files]]) };
  return { draft: whole, report: ownReport(whole) };
}

function* runImport(tx: PlanTransaction, input: ReadImport): Steps<ImportAnswer> {
  const { draft, report, project_id: into, dry_run: isDry, keep_ids: keepsIds = false } = input;
  const answer = into === undefined ? yield* created(tx, draft, report, keepsIds) : yield* merged(tx, draft, report);
  if (isDry !== true) return answer;
  throw new Rehearsal({ ...answer, dry_run: true });
}

function* created(tx: PlanTransaction, draft: Draft, report: ImportReport, keepsIds: boolean): Steps<ImportAnswer> {
  const project = yield* importProject(tx, keepsIds ? draft : yield* withRanks(draft), keepsIds);
  return { project: { ...showProject(project), summary: summaryOf(tx) }, report };
}

/** The project's id in an export. Throws `invalid_argument` for the plan of another tool, whose ids are not Planner's. */
function keptId({ project }: Draft, { from }: ImportReport): string {
  const { id } = project;
  if (from === 'Planner' && typeof id === 'string') return id;
  throw invalid('keep_ids', 'Only an export of Planner can keep its ids: leave keep_ids out.');
}

function* merged(tx: PlanTransaction, draft: Draft, report: ImportReport): Steps<ImportAnswer> {
  const merge = yield* mergeDraft(tx, draft);
  const project = projectOf(tx);
  const whole = withDescriptionLeftOut(report, draft, project);
  return { project: { ...showProject(project), summary: summaryOf(tx) }, report: whole, merge };
}

export const importOne: CreateOrUseProject<ImportProjectInput, ImportAnswer, ReadImport> = {
  name: 'import_project',
  imports: true,
  summary: "Import an export, or another tool's plan, as a new project or into an existing one",
  group: groups.projects,
  input: 'ImportProjectInput',
  output: 'ImportAnswer',
  scope: 'project',
  effect: 'create_or_write',
  rest: {
    ...{ method: 'POST', path: '/projects/import', bare: 'project', names: { into: 'project_id' } },
    upload: { bytesMax: limits.importBytesMax, filesMax: limits.importFilesMax },
    status: (answer: ImportAnswer) => (answer.dry_run === true || answer.merge !== undefined ? 200 : 201),
    statuses: [200, 201],
  },
  prepare: async (input, context, bench) => {
    // Before anything is read: a project that the caller does not see is not found, whatever is sent.
    if (input.project_id === undefined) authoriseNewProject(context.caller);
    else await bench.view(() => undefined);
    return { ...input, ...(await planOf(input, context, bench)) };
  },
  projectName: ({ draft, project_id: into }) => (into === undefined ? nameOfDraft(draft) : undefined),
  projectId: ({ draft, report, keep_ids: keepsIds }) => (keepsIds === true ? keptId(draft, report) : undefined),
  run: (tx, input) => atOnce(runImport(tx, input)),
  sliced: { when: ({ draft }) => isLarge(...draft.lists.values()), run: runImport },
};
