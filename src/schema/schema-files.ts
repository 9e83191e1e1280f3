/** Made from `schemas/` by `npm run generate`. Do not edit. */
import artifact from '../../schemas/artifact.json' with { type: 'json' };
import canvas from '../../schemas/canvas.json' with { type: 'json' };
import comment from '../../schemas/comment.json' with { type: 'json' };
import common from '../../schemas/common.json' with { type: 'json' };
import comparison from '../../schemas/comparison.json' with { type: 'json' };
import document from '../../schemas/document.json' with { type: 'json' };
import edge from '../../schemas/edge.json' with { type: 'json' };
import error from '../../schemas/error.json' with { type: 'json' };
import event from '../../schemas/event.json' with { type: 'json' };
import exchange from '../../schemas/exchange.json' with { type: 'json' };
import file from '../../schemas/file.json' with { type: 'json' };
import folder from '../../schemas/folder.json' with { type: 'json' };
import goal from '../../schemas/goal.json' with { type: 'json' };
import graph from '../../schemas/graph.json' with { type: 'json' };
import key from '../../schemas/key.json' with { type: 'json' };
import note from '../../schemas/note.json' with { type: 'json' };
import presence from '../../schemas/presence.json' with { type: 'json' };
import problem from '../../schemas/problem.json' with { type: 'json' };
import project from '../../schemas/project.json' with { type: 'json' };
import prototype from '../../schemas/prototype.json' with { type: 'json' };
import revision from '../../schemas/revision.json' with { type: 'json' };
import run from '../../schemas/run.json' with { type: 'json' };
import scaffold from '../../schemas/scaffold.json' with { type: 'json' };
import search from '../../schemas/search.json' with { type: 'json' };
import share from '../../schemas/share.json' with { type: 'json' };
import signin from '../../schemas/signin.json' with { type: 'json' };
import submission from '../../schemas/submission.json' with { type: 'json' };
import tag from '../../schemas/tag.json' with { type: 'json' };
import task from '../../schemas/task.json' with { type: 'json' };
import trash from '../../schemas/trash.json' with { type: 'json' };
import verification from '../../schemas/verification.json' with { type: 'json' };
import view from '../../schemas/view.json' with { type: 'json' };
import webhook from '../../schemas/webhook.json' with { type: 'json' };

/** The files of `schemas/`, one per resource. */
export const schemaFiles: readonly object[] = [
  artifact,
  canvas,
  comment,
  common,
  comparison,
  document,
  edge,
  error,
  event,
  exchange,
  file,
  folder,
  goal,
  graph,
  key,
  note,
  presence,
  problem,
  project,
  prototype,
  revision,
  run,
  scaffold,
  search,
  share,
  signin,
  submission,
  tag,
  task,
  trash,
  verification,
  view,
  webhook,
];
