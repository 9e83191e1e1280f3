import { artifactOperations, screenOperations } from './artifacts.ts';
import { canvasOperations } from './canvas.ts';
import { commentOperations } from './comments.ts';
import { documentOperations, filingOperations } from './documents.ts';
import { edgeOperations } from './edges.ts';
import { exchangeOperations } from './exchange.ts';
import { fileOperations } from './files.ts';
import { eventOperations } from './events.ts';
import { folderOperations } from './folders.ts';
import { goalOperations } from './goals.ts';
import { guestOperations } from './guests.ts';
import { keyOperations } from './keys.ts';
import { noteOperations } from './notes.ts';
import type { PlannerOperation } from './declaration/planner-operation.ts';
import { presenceOperations } from './presence.ts';
import { problemOperations } from './problems.ts';
import { projectOperations } from './projects.ts';
import { prototypeOperations } from './prototypes.ts';
import { recordChangeOperations } from './record-changes.ts';
import { revisionOperations } from './revisions.ts';
import { runOperations } from './runs.ts';
import { sampleOperations } from './sample.ts';
import { scaffoldOperations } from './scaffold.ts';
import { searchOperations } from './search.ts';
import { shareOperations } from './shares.ts';
import { signInOperations } from './sign-ins.ts';
import { submissionOperations } from './submissions.ts';
import { syncOperations } from './sync-pull.ts';
import { tagOperations } from './tags.ts';
import { taskOperations } from './tasks.ts';
import { trashOperations } from './trash.ts';
import { viewOperations } from './views.ts';
import { webhookOperations } from './webhooks.ts';
import { workingCopyOperations } from './working-copies.ts';

/**
 * All operations of Planner. Routes, tools, the OpenAPI description and the command line are derived from this list.
 * Tools are listed in this order, which the specification determines.
 */
export const catalogue: readonly PlannerOperation[] = [
  ...projectOperations,
  ...searchOperations,
  ...viewOperations,
  ...scaffoldOperations,
  ...goalOperations,
  ...taskOperations,
  ...documentOperations,
  ...folderOperations,
  ...filingOperations,
  ...eventOperations,
  ...presenceOperations,
  ...revisionOperations,
  ...trashOperations,
  ...noteOperations,
  ...tagOperations,
  ...edgeOperations,
  ...fileOperations,
  ...artifactOperations,
  ...prototypeOperations,
  ...screenOperations,
  ...canvasOperations,
  ...problemOperations,
  ...exchangeOperations,
  ...sampleOperations,
  ...workingCopyOperations,
  ...recordChangeOperations,
  ...shareOperations,
  ...guestOperations,
  ...commentOperations,
  ...runOperations,
  ...syncOperations,
  ...submissionOperations,
  ...webhookOperations,
  ...keyOperations,
  ...signInOperations,
];
