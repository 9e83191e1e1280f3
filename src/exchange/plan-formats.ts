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
 * Every format of another tool that is imported; Planner's own export is read as a stream separately. A new format
 * takes one line here, on which detection, `--from`, and the lists of formats and places depend.
 */
export const planFormats: readonly PlanFormat[] = [
  ...[backlogMd, beads, taskmaster, planDesk, jsonCanvas],
  ...[github, linear, jira, trello, vibeKanban, csv, markdownChecklist, todoTxt],
];
