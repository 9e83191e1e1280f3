import type { Participation } from '../schema/types.ts';
import { Html, markup } from '../http/markup.ts';
import { statusName } from './layout.ts';
import type { Page } from './layout.ts';
import { timeText } from './time-text.ts';

/** The outcome of a submitted form; undefined without a submitted form. */
export type FormOutcome = { readonly taken: true } | { readonly refused: string } | undefined;

/** The submitted form fields. */
export type Fields = Readonly<Record<string, string>>;

const severities = ['low', 'medium', 'high'];

/**
 * The page of a participant link: the project's progress, and a form for submissions, which comes first if one was refused. `base`: the path
 * of the page.
 */
export function participantPage(shown: Participation, base: string, sent: FormOutcome, fields: Fields = {}): Page {
  const { project, audience_name: audience, expires_at: expires } = shown;
  const whom = audience === null ? '' : `For ${audience}. `;
  const isRefused = sent !== undefined && 'refused' in sent;
  const form = formSection(shown, base, fields);
  return {
    title: project.name,
    takesForm: true,
    body: markup`<header>
<p class="kind">Project</p>
<h1>${project.name}</h1>
<p class="note">${whom}Open until ${timeText(expires)}. <a href="#request">Submit a request</a></p>
</header>
${outcomeSection(sent)}
${isRefused ? form : undefined}
${goalSection(shown)}
${taskSection(shown, base)}
${isRefused ? undefined : form}`,
  };
}

function outcomeSection(sent: FormOutcome): Html | undefined {
  if (sent === undefined) return undefined;
  if ('refused' in sent) return markup`<section class="refused" role="alert">${sent.refused}</section>`;
  return markup`<section class="submitted" role="status">Thank you: your submission has arrived.</section>`;
}

function goalSection({ goals }: Participation): Html | undefined {
  if (goals.length === 0) return undefined;
  const items = goals.map(({ name }) => markup`<li>${name}</li>`);
  return markup`<section><h2>Goals</h2><ul class="goals">${items}</ul></section>`;
}

function taskSection(shown: Participation, base: string): Html {
  const { tasks, tasks_total: total, next_cursor: next } = shown;
  if (total === 0) return markup`<section><h2>Tasks</h2><p class="note">There is no task yet.</p></section>`;
  const rows = tasks.map(({ label, status }) => {
    const badge = markup`<span class="badge ${status}">${statusName(status)}</span>`;
    return markup`<tr><td>${label}</td><td class="state">${badge}</td></tr>`;
  });
  const address = `${base}?cursor=${encodeURIComponent(next ?? '')}`;
  const more = next === undefined ? undefined : markup`<p class="note"><a href="${address}">Further tasks</a></p>`;
  return markup`<section>
<h2>Tasks</h2>
${progress(shown)}
<table><tbody>
${rows}
</tbody></table>
${more}</section>`;
}

function progress({ tasks_done: done, tasks_total: total }: Participation): Html {
  return markup`<p class="note">${done} of ${total} done</p>
<progress value="${done}" max="${total}" aria-label="Tasks done"></progress>`;
}

function formSection({ tasks }: Participation, base: string, fields: Fields): Html {
  const value = (name: string): string => fields[name] ?? '';
  const selected = (name: string): Html => new Html(value('severity') === name ? ' selected' : '');
  const options = severities.map((name) => markup`<option value="${name}"${selected(name)}>${name}</option>`);
  const labels = tasks.map(({ label }) => markup`<option value="${label}"></option>`);
  // HTML parsers drop the first line feed of a textarea, so the template adds one.
  return markup`<section id="request">
<h2>Submit a request</h2>
<form method="post" action="${base}" accept-charset="utf-8">
<label>Your name
<input name="participant_name" value="${value('participant_name')}" required maxlength="500" autocomplete="name"></label>
<label>Title
<input name="title" value="${value('title')}" required maxlength="500"></label>
<label>What is it about? <small>Markdown is welcome.</small>
<textarea name="body" maxlength="60000">
${value('body')}</textarea></label>
<label>Severity <small>if it is a problem</small>
<select name="severity"><option value=""></option>${options}</select></label>
<label>Task <small>if it concerns one</small>
<input name="task_ref" value="${value('task_ref')}" list="tasks" maxlength="500"></label>
<datalist id="tasks">${labels}</datalist>
<button>Submit</button>
</form>
</section>`;
}
