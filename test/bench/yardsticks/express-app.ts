import express, { type Express, type RequestHandler } from 'express';
import { readJson } from '../../../src/http/read-json.ts';
import { sendError, sendJson } from '../../../src/http/send.ts';
import { asPlannerError } from '../../../src/operations/pipeline/failure.ts';
import { requireValid } from '../../../src/operations/pipeline/validate.ts';
import { IdSource } from '../../../src/base/ids.ts';
import { isoTime, systemClock } from '../../../src/base/clock.ts';
import { validator } from '../../../src/schema/validators.ts';

/**
 * The product's creation of a task without its store: the same Express, body parser and schema, a response with the same members. `keep`
 * replaces the store.
 */
export function createApp(keep: (id: string, task: string) => void): Express {
  const app = express();
  const ids = new IdSource(systemClock);
  const validate = validator('CreateTaskInput');
  const create: RequestHandler = async (request, response) => {
    try {
      const input = { ...((await readJson(request)) as object), project_id: request.params['project_id'] };
      requireValid(validate, input);
      const now = isoTime(systemClock.now());
      const task = { ...blankTask, ...input, id: ids.next('task', 'bench0'), created_at: now, updated_at: now };
      keep(task.id, JSON.stringify(task));
      sendJson(response, 201, task);
    } catch (thrown) {
      sendError(response, asPlannerError(thrown, console.error, 'yardstick'));
    }
  };
  app.post('/api/v1/projects/:project_id/tasks', create);
  return app;
}

const blankTask = {
  goal_id: 'gol_bench0000000001',
  status: 'todo',
  kind: 'build',
  priority: null,
  lane: null,
  severity: null,
  description: '',
  position: { x: 0, y: 0 },
  assignee: null,
  lease_expires_at: null,
  due_date: null,
  commit_refs: [],
  verified_at: null,
  verified_ref: null,
  tags: [],
};
