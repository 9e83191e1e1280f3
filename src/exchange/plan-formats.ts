import { backlogMd } from './backlog-md.ts';
import { beads } from './beads.ts';
import { csv } from './csv.ts';
import { github } from './github.ts';
import { jira } from './jira.ts';
import { jsonCanvas } from './json-canvas.ts';
import { linear } from './linear.ts';
import { markdownChecklist } from './markdown-checklist.ts';
import { planDesk } from './plan-desk.ts';
import type { PlanFormat } from './plan-format.ts';
import { taskmaster } from './taskmaster.ts';
import { todoTxt } from './todo-txt.ts';
import { trello } from './trello.ts';
import { vibeKanban } from './vibe-kanban.ts';

/**
 * Every format of another tool that is imported; Planner's own export is read as a stream beside them. A new one is a line here: detection,
 * `--from`, the lists of what can be imported and of where it is looked for follow.
 */
export const planFormats: readonly PlanFormat[] = [
  ...[backlogMd, beads, taskmaster, planDesk, jsonCanvas],
  ...[github, linear, jira, trello, vibeKanban, csv, markdownChecklist, todoTxt],
];
